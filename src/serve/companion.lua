
-- Draws the coming pairs or pieces on the emulator's screen, in BizHawk and in FCEUX. The file is what `nextscope serve --file` keeps
-- current; it is read every tenth frame. Nothing is drawn as current that is not: see status().

local READ_EVERY = 10
-- Seconds without a change after which the file counts as abandoned: Nextscope writes it every second.
local ABANDONED = 5
local SHOWN = 6
local TOP, SIZE, GAP = 40, 9, 4
local COLORS = {
  R = 0xD55E00, Y = 0xF0E442, G = 0x009E73, P = 0xCC79A7, B = 0x0072B2,
  I = 0x56B4E9, J = 0x0072B2, L = 0xE69F00, O = 0xF0E442, S = 0x009E73, T = 0xCC79A7, Z = 0xD55E00,
}
local GREY, BLACK, WHITE = 0x808080, 0x000000, 0xFFFFFF

local in_fceux = FCEU ~= nil

local function width()
  if in_fceux then return 256 end
  return client.bufferwidth()
end

-- BizHawk takes ARGB numbers, FCEUX text.
local function paint(color)
  if in_fceux then return string.format("#%06X", color) end
  return 0xFF000000 + color
end

local function box(x, y, color)
  if in_fceux then
    gui.box(x, y, x + SIZE - 1, y + SIZE - 1, paint(color), paint(BLACK))
  else
    gui.drawBox(x, y, x + SIZE - 1, y + SIZE - 1, paint(BLACK), paint(color))
  end
end

local function text(x, y, message, color, background)
  if in_fceux then
    gui.text(x, y, message, paint(color), background and paint(background) or "clear")
  else
    gui.pixelText(x, y, message, paint(color), background and paint(background) or 0)
  end
end

-- The state in the file: its first line is "Nextscope: live" or another word, every other one "TITLE: NOW > NEXT NEXT ...".
local function parse(content)
  local state = { word = content:match("^Nextscope: (%a+)") or "unreadable", players = {} }
  for title, now, coming in content:gmatch("\n([^\n]-): (%S+) > ([^\n]*)") do
    local player = { title = title, now = now, coming = {} }
    for item in coming:gmatch("%S+") do player.coming[#player.coming + 1] = item end
    state.players[#state.players + 1] = player
  end
  return state
end

local function read()
  local file = io.open(FILE, "rb")
  if not file then return nil end
  local content = file:read("*a")
  file:close()
  return content
end

-- A pair is drawn as in the game, the child above the axis.
local function draw_item(x, y, item, grey)
  for at = #item, 1, -1 do
    local letter = item:sub(at, at)
    local color = not grey and COLORS[letter] or GREY
    box(x, y, color)
    text(x + 2, y + 1, letter, BLACK)
    y = y + SIZE
  end
  return y + GAP
end

local function draw_player(x, player, grey)
  local y = TOP
  for number, item in ipairs(player.coming) do
    if number > SHOWN then break end
    y = draw_item(x, y, item, grey)
  end
end

local content, changed, frames = nil, os.time(), 0
local state = { word = "missing", players = {} }

-- The word of the file, or why it is not current.
local function status()
  if not content then return "no file " .. FILE end
  if os.difftime(os.time(), changed) > ABANDONED then return "stopped" end
  return state.word
end

local function update()
  local now = read()
  if now and now ~= content then
    content, changed, state = now, os.time(), parse(now)
  elseif not now then
    content = nil
  end
end

local function draw()
  local word = status()
  if word ~= "live" then text(2, 10, "Nextscope: " .. word, WHITE, BLACK) end
  if word ~= "live" and word ~= "paused" and word ~= "replaying" then return end
  for number, player in ipairs(state.players) do
    if number > 2 then break end
    draw_player(number == 1 and 2 or width() - SIZE - 3, player, word ~= "live")
  end
end

while true do
  if frames % READ_EVERY == 0 then update() end
  frames = frames + 1
  draw()
  emu.frameadvance()
end
