-- A thin layer of the drawing functions of an emulator: `lua5.4 screen.lua bizhawk|fceux SCRIPT FRAMES SECONDS`. Runs a script for that many
-- frames, of which each takes that many seconds, and prints what it draws in the last one.

local emulator, path, frames, seconds = arg[1], arg[2], tonumber(arg[3]), tonumber(arg[4])
local drawn, now = {}, 1000

local function integers(...)
  for _, number in ipairs({ ... }) do assert(math.type(number) == "integer", "no integer") end
end

os.time = function() return math.floor(now) end
emu = { frameadvance = coroutine.yield }
gui = {}

-- The digits of a colour in the emulator's notation.
local color

local function box(x, y, x2, y2, fill, line)
  integers(x, y, x2, y2)
  color(line)
  drawn[#drawn + 1] = ("box %d %d %d %d %s"):format(x, y, x2, y2, color(fill))
end

local function text(x, y, message, fore, back)
  integers(x, y)
  color(fore)
  color(back)
  drawn[#drawn + 1] = ("text %d %d %s"):format(x, y, message)
end

if emulator == "bizhawk" then
  color = function(number)
    integers(number)
    assert(number >= 0xFF000000 or number == 0, "no ARGB")
    return string.format("%06X", number & 0xFFFFFF)
  end
  client = { bufferwidth = function() return 320 end }
  gui.drawBox = function(x, y, x2, y2, line, fill) box(x, y, x2, y2, fill, line) end
  gui.pixelText = text
else
  color = function(name)
    assert(name == "clear" or name:match("^#%x%x%x%x%x%x$"), "no colour")
    return name:gsub("#", "")
  end
  FCEU = emu
  gui.box, gui.text = box, text
end

local script = coroutine.create(assert(loadfile(path)))
for _ = 1, frames do
  drawn = {}
  assert(coroutine.resume(script))
  assert(coroutine.status(script) ~= "dead", "it runs as long as the emulator")
  now = now + seconds
end
for _, line in ipairs(drawn) do print(line) end
