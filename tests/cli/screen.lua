-- Thin layers of the drawing functions of emulators: `lua5.4 screen.lua bizhawk|fceux|desmume|mesen SCRIPT FRAMES SECONDS [FILE]`. Runs a
-- script for that many frames, of which each takes that many seconds, and prints what it draws in the last one. Before the fifth frame FILE is
-- written again as Nextscope does, with or without a space at the end of its first line. What the emulator does not accept is an error.

local emulator, path, frames, seconds, file = arg[1], arg[2], tonumber(arg[3]), tonumber(arg[4]), arg[5]
local drawn, now = {}, 1000

local function integers(...)
  for _, number in ipairs({ ... }) do assert(math.type(number) == "integer", "no integer") end
end

os.time = function() return math.floor(now) end

-- The width and the lines of the screen; the digits of a colour in the emulator's notation; what runs a frame of the script.
local width, first, last = 256, 0, 239
local color
local advance

local function box(x, y, x2, y2, fill, line)
  integers(x, y, x2, y2)
  assert(x >= 0 and x2 < width and y >= first and y2 <= last, "outside the screen")
  color(line)
  drawn[#drawn + 1] = ("box %d %d %d %d %s"):format(x, y, x2, y2, color(fill))
end

local function text(x, y, message, fore, back)
  integers(x, y)
  assert(type(message) == "string")
  color(fore)
  color(back)
  drawn[#drawn + 1] = ("text %d %d %s"):format(x, y, message)
end

local function frameadvance_runs(script)
  local thread = coroutine.create(script)
  advance = function()
    assert(coroutine.resume(thread))
    assert(coroutine.status(thread) ~= "dead", "it runs as long as the emulator")
  end
end

local function web_color(text)
  assert(text == "clear" or text:match("^#%x%x%x%x%x%x$"), "no colour")
  return (text:gsub("#", ""))
end

local start = frameadvance_runs
if emulator == "bizhawk" then
  width, last = 320, 223
  color = function(number)
    integers(number)
    assert(number >= 0xFF000000 or number == 0, "no ARGB")
    return string.format("%06X", number & 0xFFFFFF)
  end
  client = { bufferwidth = function() return width end }
  emu = { frameadvance = coroutine.yield }
  gui = { drawBox = function(x, y, x2, y2, line, fill) box(x, y, x2, y2, fill, line) end, pixelText = text }
elseif emulator == "fceux" then
  -- The first and the last eight lines are not shown.
  first, last, color = 8, 231, web_color
  emu = { frameadvance = coroutine.yield }
  FCEU = emu
  gui = { box = box, text = text }
elseif emulator == "desmume" then
  -- The lower screen; the upper one has negative lines.
  last, color = 191, web_color
  emu = { frameadvance = coroutine.yield }
  gui = { box = box, text = text }
elseif emulator == "mesen" or emulator == "sandboxed mesen" then
  -- The alpha of colours is inverted. A function gets all parameters that it must have, and none that it does not know.
  local function number(value)
    integers(value)
    assert(value >> 24 == 0 or value == 0xFF000000, "not opaque")
    return value
  end
  color = function(value) return string.format("%06X", number(value) & 0xFFFFFF) end
  local filled, step
  emu = {
    eventType = { nmi = 0, irq = 1, startFrame = 2, endFrame = 3 },
    addEventCallback = function(callback, event, ...)
      assert(type(callback) == "function" and event == 3 and select("#", ...) == 0)
      step = callback
      return 1
    end,
    drawRectangle = function(x, y, w, h, value, fill, ...)
      assert(type(fill) == "boolean" and select("#", ...) <= 2)
      local place = table.concat({ x, y, w, h }, " ")
      if fill then
        filled = { place = place, value = value }
      else
        assert(filled.place == place, "another outline")
        box(x, y, x + w - 1, y + h - 1, filled.value, value)
      end
    end,
    drawString = function(x, y, message, fore, back, ...)
      assert(select("#", ...) <= 3)
      text(x, y, message, fore, back)
    end,
  }
  -- The script ends at once; the function that it gave away is called with the processor in each frame.
  start = function(script)
    script()
    advance = function() step(0) end
  end
else
  error("no such emulator")
end

-- Nextscope shows once a second that it runs.
local function beat()
  local handle = assert(io.open(file, "rb"))
  local content = handle:read("a")
  handle:close()
  local line, rest = content:match("^([^\n]-) ?(\n.*)$")
  if content:sub(#line + 1, #line + 1) ~= " " then line = line .. " " end
  handle = assert(io.open(file, "wb"))
  handle:write(line, rest)
  handle:close()
end

local script = assert(loadfile(path))
if emulator == "sandboxed mesen" then io, os = nil, nil end
local started, wrong = pcall(start, script)
if not started then
  print("error " .. wrong)
  return
end
for frame = 1, frames do
  drawn = {}
  if frame == 5 and file then beat() end
  advance()
  now = now + seconds
end
for _, line in ipairs(drawn) do print(line) end
