-- A thin layer of BizHawk's functions for `lua5.4 bizhawk.lua SCRIPT`. It asks the test on standard output and reads its answers on
-- standard input, a line each. Whatever BizHawk does not accept is an error here.

local function tell(line)
  io.stdout:write(line, "\n")
  io.stdout:flush()
end

local function ask(line)
  tell(line)
  return assert(io.stdin:read("l"), "the test has ended")
end

local pages, held = {}, ""

memory = {}

function memory.usememorydomain(name)
  return name == "68K RAM"
end

function memory.read_u8(address, domain)
  assert(domain == "68K RAM", "another domain")
  assert(math.type(address) == "integer" and address >= 0 and address < 0x10000, "outside the domain")
  local page = address // 256
  pages[page] = pages[page] or ask("page " .. page)
  local at = address % 256 * 2
  return tonumber(pages[page]:sub(at + 1, at + 2), 16)
end

local LETTERS = { Up = "U", Down = "D", Left = "L", Right = "R", A = "A", B = "B", C = "C", Start = "S" }

joypad = {}

-- For the current frame only.
function joypad.set(buttons, controller)
  assert(controller == 1, "controller 1")
  held = ""
  for name, pressed in pairs(buttons) do
    assert(type(pressed) == "boolean" and LETTERS[name], "no such button: " .. name)
    if pressed then held = held .. LETTERS[name] end
  end
end

emu = { frameadvance = coroutine.yield }

gui = {}

function gui.text(x, y, text)
  assert(math.type(x) == "integer" and math.type(y) == "integer")
  tell("text " .. text)
end

function gui.addmessage(text)
  assert(type(text) == "string")
end

console = {}

function console.log(text)
  assert(not text:find("[\n\r]"), "a line each")
  tell("log " .. text)
end

client = {}

function client.pause()
  tell("pause")
end

-- As in BizHawk the script is a coroutine that frameadvance suspends.
local script = coroutine.create(assert(loadfile(arg[1])))
while true do
  local ran, wrong = coroutine.resume(script)
  if not ran then
    tell("error " .. tostring(wrong):gsub("\n", " "))
    return
  end
  if coroutine.status(script) == "dead" then break end
  ask("frame " .. held)
  pages, held = {}, ""
end
tell("end")
