local BUTTONS = { L = "Left", R = "Right", A = "A", B = "B", D = "Down" }
local CHILD = { [0] = "up", [1] = "right", [2] = "down", [3] = "left" }
-- Rows of the axis from the top in which a pair counts as just appeared: it appears in row 2 and falls meanwhile.
local FIRST_ROW, LAST_ROW = 2, 4
local START_COLUMN = 2
-- Frames for which a difference must persist: RAM may be read in the middle of an update.
local PERSISTS, MOMENT = 30, 3
-- Frames in which a tap may have its effect before it is repeated.
local EFFECT = 6
-- Frames without progress before the script gives up: half a minute for a tap or a fall, five minutes for a chain.
local MOVE_LIMIT, CHAIN_LIMIT = 1800, 18000
-- Frames that a pair may take to appear after it is dealt.
local APPEAR_LIMIT = 300

local status = ""

local function byte(address)
  return memory.read_u8(address, RAM.domain)
end

local function word(address)
  return byte(address) * 256 + byte(address + 1)
end

-- Advances one frame with only these buttons pressed. Buttons of the user are ignored, except Start.
local function frame(pressed)
  local pad = {}
  for _, name in pairs(BUTTONS) do pad[name] = false end
  pad.Up = false
  pad.C = false
  if pressed then pad[BUTTONS[pressed]] = true end
  joypad.set(pad, RAM.player)
  gui.text(10, 40, "Nextscope: " .. status)
  emu.frameadvance()
end

-- The board as in ROUTE: rows from the top joined by "/", without the empty rows above.
local function board()
  local rows, empty = {}, true
  for row = 0, RAM.rows - 1 do
    local cells = ""
    for column = 0, RAM.columns - 1 do
      local value = byte(RAM.board + 2 * (row * RAM.columns + column))
      local letter = "."
      if value >= 128 then
        letter = COLORS[math.floor(value / 16) % 8]
      elseif value ~= 0 then
        letter = "?"
      end
      cells = cells .. letter
    end
    empty = empty and cells == string.rep(".", RAM.columns)
    if not empty or row == RAM.rows - 1 then rows[#rows + 1] = cells end
  end
  return table.concat(rows, "/")
end

local function letters(axis_color, child_color)
  return (COLORS[axis_color] or "?") .. (COLORS[child_color] or "?")
end

local function dealt()
  return word(RAM.dealt)
end

-- What differs between the pairs in the queue and those that follow pair `number`; nil if nothing does.
local function queue_difference(number)
  for slot = 1, RAM.queued do
    local expected = ROUTE[number + slot]
    local address = RAM.queue + 2 * (slot - 1)
    local found = letters(byte(address), byte(address + 1))
    if expected and found ~= expected.pair then
      return "pair " .. (number + slot) .. ": expected " .. expected.pair .. ", the game will deal " .. found
    end
  end
  return nil
end

local function in_use(object)
  return word(object) ~= 0 and byte(object + RAM.object.player) == RAM.player - 1
end

local function position(pair)
  return word(pair.axis + RAM.object.column), byte(pair.child + RAM.object.rotation)
end

local function row_of(pair)
  return word(pair.axis + RAM.object.row)
end

-- The objects of a pair with these colours that has just appeared; otherwise nil and the colours that are there, if any.
local function appeared(colors)
  local others
  for first = 0, RAM.object.count - 1 do
    local axis = RAM.objects + first * RAM.object.size
    if in_use(axis) and word(axis + RAM.object.column) == START_COLUMN
      and row_of({ axis = axis }) >= FIRST_ROW and row_of({ axis = axis }) <= LAST_ROW then
      for other = 1, RAM.object.count - 1 do
        local child = RAM.objects + (first + other) % RAM.object.count * RAM.object.size
        if in_use(child) and byte(child + RAM.object.rotation) == 0 then
          local found = letters(byte(axis + RAM.object.color), byte(child + RAM.object.color))
          if found == colors then return { axis = axis, child = child } end
          others = others or found
        end
      end
    end
  end
  return nil, others
end

local function place(column, child)
  return "column " .. (column + 1) .. ", child " .. (CHILD[child] or "?")
end

-- What differs between the game and the route before pair `number`, and the pair's objects when nothing does. The third value is true if
-- only the pair has not appeared yet.
local function difference(number)
  local there, expected = board(), number == 1 and START or ROUTE[number - 1].after
  if there ~= expected then
    local when = number == 1 and "at the start" or "after pair " .. (number - 1)
    return "the board " .. when .. ": expected " .. expected .. ", there is " .. there
  end
  local wrong = queue_difference(number)
  if wrong then return wrong end
  local pair, others = appeared(ROUTE[number].pair)
  if pair then return nil, pair end
  local expected_pair = "pair " .. number .. ": expected " .. ROUTE[number].pair .. ", "
  if others then return expected_pair .. "there is " .. others end
  return expected_pair .. "no pair is at the top of the third column", nil, true
end

-- WAIT for the first pair: as long as it takes, because the user may still be in a menu.
local function wait_for_start()
  while true do
    local wrong, pair = difference(1)
    if not wrong then return pair end
    status = "waiting for pair 1. " .. wrong
    frame()
  end
end

-- CHECK before a later pair. The answer is the first difference that is not only of a moment, when it persists: meanwhile a pair that
-- is not moved falls and changes the board.
local function check(number)
  local seen, reason = {}, nil
  local differs, frames = 0, 0
  status = "pair " .. number .. " is checked"
  while true do
    local wrong, pair, absent = difference(number)
    if not wrong then return nil, pair end
    seen[wrong] = (seen[wrong] or 0) + 1
    if not absent and seen[wrong] >= MOMENT then reason = reason or wrong end
    differs = absent and not reason and 0 or differs + 1
    frames = frames + 1
    if differs >= PERSISTS or frames >= APPEAR_LIMIT then return reason or wrong end
    frame()
  end
end

-- Presses a button until the game has read it, and releases it until the game has read that: the cell for the held buttons shows
-- both. A lag frame only makes this longer.
local function press(button)
  local frames = 0
  repeat
    frame(button)
    frames = frames + 1
    if frames > MOVE_LIMIT then return "the game does not read the controller" end
  until byte(RAM.held) ~= 0
  repeat
    frame()
    frames = frames + 1
    if frames > MOVE_LIMIT then return "the game does not read the controller" end
  until byte(RAM.held) == 0
  return nil
end

-- Down until the pair is a row lower: a tap that only leads past an obstacle.
local function one_row_down(pair)
  local row, frames = row_of(pair), 0
  while row_of(pair) == row do
    frame("D")
    frames = frames + 1
    if frames > MOVE_LIMIT then return "the pair does not fall" end
  end
  frame()
  return nil
end

local function not_in_play(count)
  return "the pair is no longer in play: the game counted " .. count .. " pairs of the round, now " .. dealt()
end

-- TAP. `before` and `tap` are positions. A tap without its effect is repeated: the pair could not be moved yet.
local function tap_once(pair, before, tap, count)
  if tap[1] == "D" then return one_row_down(pair) end
  local waited = 0
  while true do
    local wrong = press(tap[1])
    if wrong then return wrong end
    local column, child = position(pair)
    for _ = 1, EFFECT do
      if column ~= before[2] or child ~= before[3] then break end
      -- A turn between two walls has no effect that can be seen.
      if tap[2] == before[2] and tap[3] == before[3] then break end
      frame()
      waited = waited + 1
      column, child = position(pair)
    end
    if dealt() ~= count then return not_in_play(count) end
    if column == tap[2] and child == tap[3] then return nil end
    if column ~= before[2] or child ~= before[3] then
      return "after " .. BUTTONS[tap[1]] .. ": expected " .. place(tap[2], tap[3]) .. ", the pair is in " .. place(column, child)
    end
    if waited > MOVE_LIMIT then
      return BUTTONS[tap[1]] .. " has no effect: expected " .. place(tap[2], tap[3]) .. ", the pair stays in "
        .. place(column, child)
    end
  end
end

local function move(step, pair, count)
  local before = { "", START_COLUMN, 0 }
  for number, tap in ipairs(step.taps) do
    status = step.pair .. " to " .. place(step.column, step.child) .. ", tap " .. number .. " of " .. #step.taps
    local wrong = tap_once(pair, before, tap, count)
    if wrong then return "tap " .. number .. ": " .. wrong end
    before = tap
  end
  local column, child = position(pair)
  if column ~= step.column or child ~= step.child then
    return "expected " .. place(step.column, step.child) .. ", the pair is in " .. place(column, child)
  end
  return nil
end

-- DROP: Down until the board changes or the next pair is dealt.
local function drop(step, number)
  local before, count, frames = board(), dealt(), 0
  status = step.pair .. " falls to " .. place(step.column, step.child)
  while board() == before and dealt() == count do
    frame("D")
    frames = frames + 1
    if frames > MOVE_LIMIT then return "pair " .. number .. ": it does not land" end
  end
  return nil
end

-- SETTLE: no button until the next pair is dealt. The last pair is also done when its board no longer changes.
local function settle(number, count)
  local frames, unchanged, last = 0, 0, ROUTE[number + 1] == nil
  status = "pair " .. number .. " has landed"
  while dealt() == count do
    unchanged = board() == ROUTE[number].after and unchanged + 1 or 0
    if last and unchanged > 4 * PERSISTS then return nil end
    frame()
    frames = frames + 1
    if frames > CHAIN_LIMIT then return "pair " .. number .. ": no other pair is dealt after it" end
  end
  if dealt() ~= (count + 1) % 65536 then
    return "pair " .. number .. ": expected pair " .. (count + 1) .. " of the round after it, the game counts " .. dealt()
      .. ": another round has begun"
  end
  return nil
end

-- CHECK after the last pair.
local function check_end()
  local there
  for _ = 1, PERSISTS do
    there = board()
    if there == ROUTE[#ROUTE].after then return nil end
    frame()
  end
  return "the board after pair " .. #ROUTE .. ": expected " .. ROUTE[#ROUTE].after .. ", there is " .. there
end

-- Plays all pairs; the answer is nil, or what differs.
local function play()
  local pair = wait_for_start()
  for number, step in ipairs(ROUTE) do
    local wrong, count
    if number > 1 then
      wrong, pair = check(number)
      if wrong then return wrong end
    end
    count = dealt()
    wrong = move(step, pair, count)
    if wrong then return "pair " .. number .. " (" .. step.pair .. "), " .. wrong end
    wrong = drop(step, number) or settle(number, count)
    if wrong then return wrong end
  end
  return check_end()
end

local function announce(message)
  console.log("Nextscope: " .. message)
  gui.addmessage("Nextscope: " .. message)
end

local domain_found = memory.usememorydomain(RAM.domain)
if not domain_found then
  announce("stopped. This core has no memory domain " .. RAM.domain .. ": select Genplus-gx, or load the game first")
else
  announce("waits for the first pair of " .. RAM.game)
  local wrong = play()
  if wrong then
    announce("stopped. The game differs from the route. " .. wrong)
    client.pause()
  else
    announce("the route is complete: " .. #ROUTE .. " pairs, every board as planned")
  end
end
