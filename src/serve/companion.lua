
-- Draws the coming pairs or pieces on the emulator's screen, in FCEUX, DeSmuME, BizHawk and Mesen. The file is what
-- `nextscope serve --file` keeps current; it is read every tenth frame. Nothing is drawn as current that is not: see status().

local READ_EVERY = 10
-- Seconds without a change after which the file counts as abandoned: Nextscope writes it every second.
local ABANDONED = 5
local SHOWN = 6
-- A box has room for the widest letter (6 by 7) with a margin inside its outline, and six pairs fit on 192 lines.
local LEFT, TOP, SIZE, GAP = 3, 24, 11, 4
local COLORS = {
  R = 0xD55E00, Y = 0xF0E442, G = 0x009E73, P = 0xCC79A7, B = 0x0072B2,
  I = 0x56B4E9, J = 0x0072B2, L = 0xE69F00, O = 0xF0E442, S = 0x009E73, T = 0xCC79A7, Z = 0xD55E00,
}
local GREY, BLACK, WHITE = 0x808080, 0x000000, 0xFFFFFF

if not io then
  error('Nextscope: enable "Allow access to I/O and OS functions" in the settings of the script window', 0)
end

-- FCEUX and DeSmuME take text, BizHawk ARGB numbers. No color is transparent.
local function hex(color)
  return color and string.format("#%06X", color) or "clear"
end

local function opaque(color)
  return color and 0xFF000000 + color or 0
end

local function each_frame(step)
  while true do
    step()
    emu.frameadvance()
  end
end

-- What differs between emulators: the width of the screen, a filled square with a black outline, text with or without a background, and a
-- function that is called in each frame.
local SCREENS = {
  fceux_or_desmume = {
    width = function() return 256 end,
    box = function(x, y, color) gui.box(x, y, x + SIZE - 1, y + SIZE - 1, hex(color), hex(BLACK)) end,
    text = function(x, y, message, color, background) gui.text(x, y, message, hex(color), hex(background)) end,
    run = each_frame,
  },
  bizhawk = {
    width = function() return client.bufferwidth() end,
    box = function(x, y, color) gui.drawBox(x, y, x + SIZE - 1, y + SIZE - 1, opaque(BLACK), opaque(color)) end,
    text = function(x, y, message, color, background)
      gui.pixelText(x, y, message, opaque(color), opaque(background))
    end,
    run = each_frame,
  },
  -- Colours have an inverted alpha. Drawings are scaled to 256 columns, whatever the video filter.
  mesen = {
    width = function() return 256 end,
    box = function(x, y, color)
      emu.drawRectangle(x, y, SIZE, SIZE, color, true)
      emu.drawRectangle(x, y, SIZE, SIZE, BLACK, false)
    end,
    text = function(x, y, message, color, background)
      emu.drawString(x, y, message, color, background or 0xFF000000)
    end,
    run = function(step) emu.addEventCallback(step, emu.eventType.endFrame) end,
  },
}
local screen = SCREENS[emu.addEventCallback and "mesen" or client and "bizhawk" or "fceux_or_desmume"]

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
    screen.box(x, y, not grey and COLORS[letter] or GREY)
    screen.text(x + 3, y + 2, letter, BLACK)
    y = y + SIZE
  end
  return y + GAP
end

local function draw_player(x, player, grey)
  local y = TOP
  for number, item in ipairs(player.coming) do
    if number > SHOWN or item == "-" then break end
    y = draw_item(x, y, item, grey)
  end
end

-- The connections with players.
local HAS_PLAYERS = { live = true, paused = true, replaying = true }

local content, changed, frames = nil, nil, 0
local state

-- The word of the file, or why it is not current. What is in the file when the script starts may be of a Nextscope that was killed: it is
-- current when it has changed once.
local function status()
  if not content then return "no file " .. FILE:match("[^/\\]*$") end
  if changed and os.difftime(os.time(), changed) > ABANDONED then return "stopped" end
  if not changed and HAS_PLAYERS[state.word] then return "waiting" end
  return state.word
end

local function update()
  local now = read()
  if now and now ~= content then
    changed = content and os.time()
    content, state = now, parse(now)
  elseif not now then
    content, changed = nil, nil
  end
end

local function draw()
  local word = status()
  if word ~= "live" then screen.text(LEFT, 10, "Nextscope: " .. word, WHITE, BLACK) end
  if not HAS_PLAYERS[word] then return end
  for number, player in ipairs(state.players) do
    if number > 2 then break end
    draw_player(number == 1 and LEFT or screen.width() - SIZE - LEFT, player, word ~= "live")
  end
end

screen.run(function()
  if frames % READ_EVERY == 0 then update() end
  frames = frames + 1
  draw()
end)
