-- Runs the companion script, unchanged, and writes a line for each frame that it draws: the time, the pieces dealt so far, the orientation of
-- the current one, what the script read last, and what it draws. The test puts COMPANION and LOG before this.

local log = assert(io.open(LOG, "w"))
local content, drawn = "", {}

for _, name in ipairs({ "box", "text" }) do
  local draw = gui[name]
  gui[name] = function(...)
    drawn[#drawn + 1] = name .. " " .. table.concat({ ... }, " ")
    return draw(...)
  end
end

local open = io.open
io.open = function(path, mode)
  local file, why = open(path, mode)
  content = ""
  if not file then return nil, why end
  return {
    read = function(_, what)
      content = file:read(what)
      return content
    end,
    close = function() return file:close() end,
  }
end

local advance = emu.frameadvance
emu.frameadvance = function()
  local dealt = memory.readbyte(0x606) + 256 * memory.readbyte(0x607)
  local read = content:gsub("\n", "|")
  local line = { emu.framecount(), os.time(), dealt, memory.readbyte(0x62), read, table.concat(drawn, ";") }
  log:write(table.concat(line, "\t"), "\n")
  log:flush()
  drawn = {}
  return advance()
end

-- `serve` writes the script after the emulator has started.
local companion = loadfile(COMPANION)
while not companion do
  advance()
  companion = loadfile(COMPANION)
end
companion()
