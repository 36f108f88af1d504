-- Messages in a stream of bytes, as the Language Server Protocol frames them.

local M = {}

function M.frame(text) return ('Content-Length: %d\r\n\r\n%s'):format(#text, text) end

-- The next piece of `buffer`: its first message and what follows it, or how many bytes are needed before there is one.
local function split(buffer)
  local _, header_end = buffer:find('\r\n\r\n', 1, true)
  if not header_end then return nil, buffer, #buffer + 1 end
  local length = tonumber(buffer:sub(1, header_end):lower():match('content%-length:%s*(%d+)'))
  if not length then error('a message without a length', 0) end
  local message_end = header_end + length
  if #buffer < message_end then return nil, buffer, message_end end
  return buffer:sub(header_end + 1, message_end), buffer:sub(message_end + 1)
end

-- A function that takes bytes as they come and calls `on_message` for each message that is complete. It raises an error
-- where no message can be found any more.
function M.reader(on_message)
  local pieces, held, needed = {}, 0, 1
  return function(bytes)
    pieces[#pieces + 1], held = bytes, held + #bytes
    -- A long message comes in many pieces, which are joined only once.
    while held >= needed do
      local message, rest, more = split(table.concat(pieces))
      pieces, held, needed = { rest }, #rest, more or 1
      if message then on_message(message) end
    end
  end
end

return M
