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

if emulator == "bizhawk" then
  local function color(number)
    integers(number)
    assert(number >= 0xFF000000 or number == 0, "no ARGB")
    return string.format("%06X", number & 0xFFFFFF)
  end
  client = { bufferwidth = function() return 320 end }
  function gui.drawBox(x, y, x2, y2, line, fill)
    integers(x, y, x2, y2)
    color(line)
    drawn[#drawn + 1] = ("box %d %d %d %d %s"):format(x, y, x2, y2, color(fill))
  end
  function gui.pixelText(x, y, message, fore, back)
    integers(x, y)
    color(fore)
    color(back)
    drawn[#drawn + 1] = ("text %d %d %s"):format(x, y, message)
  end
else
  local function color(text)
    assert(text == "clear" or text:match("^#%x%x%x%x%x%x$"), "no colour")
    return text:gsub("#", "")
  end
  FCEU = emu
  function gui.box(x, y, x2, y2, fill, line)
    integers(x, y, x2, y2)
    color(line)
    drawn[#drawn + 1] = ("box %d %d %d %d %s"):format(x, y, x2, y2, color(fill))
  end
  function gui.text(x, y, message, fore, back)
    integers(x, y)
    color(fore)
    color(back)
    drawn[#drawn + 1] = ("text %d %d %s"):format(x, y, message)
  end
end

local script = coroutine.create(assert(loadfile(path)))
for _ = 1, frames do
  drawn = {}
  assert(coroutine.resume(script))
  assert(coroutine.status(script) ~= "dead", "it runs as long as the emulator")
  now = now + seconds
end
for _, line in ipairs(drawn) do print(line) end
