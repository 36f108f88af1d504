-- The command that shows a session again which is off the screen.

local json_text = require('view_model.json_text')

-- The command for a root. Where its view model has a scope, an open finds the session, and nobody has to keep a key; but
-- with which arguments another client has opened it isn't known here.
return function(root)
  if not root.asked or not root.client.scopes[root.name] then return ':ViewModelAttach ' .. root.key end
  local arguments = root.arguments and next(root.arguments) and ' ' .. json_text.whole(root.arguments) or ''
  return ':ViewModel ' .. root.name .. arguments
end
