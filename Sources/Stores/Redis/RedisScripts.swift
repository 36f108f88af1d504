import Sessions

/// The scripts of a store in Redis. This comment is the reference of the keys that they use.
///
/// All keys begin with `vms:`, so that a user of Redis can be allowed `~vms:*` and nothing else. Those of a scene have its
/// root's key in braces, so that a cluster would keep them together:
///
/// | key | type | content |
/// |---|---|---|
/// | `vms:{ROOT}` | hash | the scene: `owner`, `once`, `used`, `count` (sessions ever), `session:KEY` (its place: 1, 2, …), `readKey:KEY` (the key of the session that readers know by this one), `shared:NAME`; `holder`: the id of the server that has it, `fence`: how often one has taken it, `commit`: the number of the newest commit since then |
/// | `vms:{ROOT}:session:PLACE` | hash | the session's header and newest turn, `epochs` (of its lives so far), `client:NAME`, `hasForgottenClients`, `readKey`, `notes` (a JSON text), `saved:NAME`, `key:KEY` (the number of the event that has this key), `entries`: how many the log has |
/// | `vms:{ROOT}:log:PLACE` | sorted set | the log: members that begin with their number (19 digits), all with score 0, so that their bytes order them |
/// | `vms:session:KEY` | string | the root's key of a session that isn't a root, or that readers know by this key |
/// | `vms:once:SECRET` | string | the root's key of an opening |
/// | `vms:used` | sorted set | the roots' keys by the time of their last use, by the clocks of servers, for people |
/// | `vms:lastUse` | sorted set | the roots' keys by their last use in the store's time; scenes have no expiry of Redis', which would take parts of one away in use |
/// | `vms:server:ID` | string | a server that is there: its process, host and address (`RedisLease`); it expires unless the server renews it, and then the server's scenes are anybody's |
/// | `vms:store` | hash | `format`, `link`; `passed`: the store's time, the seconds in which servers were there, and `seen`: Redis' time when that was counted last |
///
/// Redis runs a script alone, and doesn't undo a script that fails. So `commit` checks everything before it writes: after its
/// first write nothing can fail. Where Redis is out of memory, is a replica or can't write to its disk, it refuses a script's
/// first write, but no later one.
///
/// A scene is on one server at a time. `claim` takes a scene that nobody has, or whose server is gone, and raises its
/// `fence`. The fence keeps the server before from storing more. Nothing relies on that server's clock, which may be wrong,
/// or on its process, which may be stopped for any time. Each commit of a scene carries the fence, and a number that is one
/// more than that of the commit before. So a commit that is sent again because its answer was lost is done once, and a scene
/// that has less than was acknowledged is noticed.
///
/// The store's time is counted whenever a server renews its key; at most a minute counts between two renewals. So nothing
/// gets old because Redis' clock jumps, or differs from that of a replica that becomes the master.
///
/// A commit of several scenes is one call. Each scene is stored as a whole or not at all, independently of the others. More
/// isn't needed, since a turn changes one scene.
// Over 400 lines because the scripts that agree on these keys are its constants.
struct RedisScript {
    let name: String
    let text: String

    static let all = [renew, claim, owner, release, commit, list, adopt, sweep, discard]
    /// The number of places that are searched for the sessions of a scene whose hash is lost, as that has the number of
    /// places.
    private static let lookedForPlaces = 100

    init(_ name: String, _ text: String) {
        (self.name, self.text) = (name, text)
    }

    static let names = """
        local function sceneKey(root) return 'vms:{' .. root .. '}' end
        local function sessionKey(root, place) return sceneKey(root) .. ':session:' .. place end
        local function logKey(root, place) return sceneKey(root) .. ':log:' .. place end

        -- The root of the scene that has a session; false where there is none.
        local function rootOf(key)
            -- Not EXISTS: fails where another program has put something else there.
            if redis.call('HLEN', sceneKey(key)) > 0 then return key end
            return redis.call('GET', 'vms:session:' .. key)
        end

        -- The places of a scene's sessions, and their keys. Where Redis has lost the scene's hash, the first of them are there.
        local function placesIn(scene, root)
            local places = {}
            for i = 1, #scene, 2 do
                local isSession = string.sub(scene[i], 1, 8) == 'session:'
                if isSession then places[#places + 1] = {scene[i + 1], string.sub(scene[i], 9)} end
            end
            for place = 1, #scene == 0 and \(lookedForPlaces) or 0 do
                local key = redis.call('HGET', sessionKey(root, place), 'key')
                if key then places[#places + 1] = {place, key} end
            end
            return places
        end

        """

    static let removal = """
        local function removeReadKey(root, place)
            -- Not `call`, which would fail half way where another program has put something else there.
            local readKey = redis.pcall('HGET', sessionKey(root, place), 'readKey')
            if type(readKey) == 'string' then
                redis.call('DEL', 'vms:session:' .. readKey)
                redis.pcall('HDEL', sceneKey(root), 'readKey:' .. readKey)
            end
        end
        local function removeSession(root, key, place)
            removeReadKey(root, place)
            redis.call('UNLINK', sessionKey(root, place), logKey(root, place))
            if key ~= root then redis.call('DEL', 'vms:session:' .. key) end
        end

        local function removeScene(root)
            local scene = redis.call('HGETALL', sceneKey(root))
            local once = redis.call('HGET', sceneKey(root), 'once')
            for _, place in ipairs(placesIn(scene, root)) do removeSession(root, place[2], place[1]) end
            if once then redis.call('DEL', 'vms:once:' .. once) end
            redis.call('ZREM', 'vms:used', root)
            redis.call('ZREM', 'vms:lastUse', root)
            redis.call('UNLINK', sceneKey(root))
        end

        """

    /// Creates or renews a server's key, and counts the time. `KEYS[2]`: the server's key; `ARGV`: its lease, the lease's
    /// milliseconds. The answer is `new` where the key wasn't there.
    ///
    /// The time is written after the lease, as Redis refuses only the first write of a script, even where its memory is full.
    static let renew = RedisScript(
        "renew",
        """
        local function countTime()
            local now = tonumber(redis.call('TIME')[1])
            local seen = tonumber(redis.call('HGET', KEYS[1], 'seen') or now)
            local passed = now - seen
            if passed > 0 and passed < 10 then return end
            if passed ~= 0 or redis.call('HEXISTS', KEYS[1], 'seen') == 0 then redis.call('HSET', KEYS[1], 'seen', now) end
            passed = math.max(0, math.min(passed, \(StoreClock.longestPassing.components.seconds)))
            if passed > 0 then redis.call('HINCRBY', KEYS[1], 'passed', passed) end
        end
        local format = redis.call('HGET', KEYS[1], 'format')
        if format and format ~= '\(RedisJoining.format)' then return {'format', format} end
        if not format then redis.call('HSET', KEYS[1], 'format', '\(RedisJoining.format)') end
        -- Also where Redis is full, which takes no SET.
        local isThere = redis.call('PEXPIRE', KEYS[2], ARGV[2]) == 1
        if not isThere then redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2]) end
        countTime()
        return {isThere and 'ok' or 'new'}
        """)

    /// Reads a scene, and takes it. `ARGV`: the server's id, empty for a server that only reads; the key of a session; the id
    /// of a server whose process is known to have ended; the name of the epoch that begins; `1` where an epoch begins
    /// although this server has the scene.
    ///
    /// Where the answer was lost, the same call once more finds that this server has the scene. Each taking begins an epoch.
    static let claim = RedisScript(
        "claim",
        names + """
            local function beginEpoch(session, name)
                local stored = redis.call('HMGET', session, 'epochs', 'newest')
                local epochs = {}
                for epoch in string.gmatch(stored[1] or '\(SessionEpochs.first):0', '%S+') do epochs[#epochs + 1] = epoch end
                epochs[#epochs + 1] = name .. ':' .. string.gsub(stored[2] or '0', '^0+(%d)', '%1')
                local first = math.max(1, #epochs - \(SessionEpochs.maximumCount - 1))
                redis.call('HSET', session, 'epochs', table.concat(epochs, ' ', first))
            end
            -- What finds it, where Redis has lost that.
            local function addToLists(root)
                local scene = redis.call('HGETALL', sceneKey(root))
                for _, place in ipairs(placesIn(scene, root)) do
                    if place[2] ~= root then redis.call('SET', 'vms:session:' .. place[2], root) end
                end
                for i = 1, #scene, 2 do
                    local isReadKey = string.sub(scene[i], 1, 8) == 'readKey:'
                    if isReadKey then redis.call('SET', 'vms:session:' .. string.sub(scene[i], 9), root) end
                end
                local stored = redis.call('HMGET', sceneKey(root), 'used', 'once')
                if stored[2] then redis.call('SET', 'vms:once:' .. stored[2], root) end
                redis.call('ZADD', 'vms:used', 'NX', stored[1] or 0, root)
                redis.call('ZADD', 'vms:lastUse', 'NX', redis.call('HGET', KEYS[1], 'passed') or '0', root)
            end
            -- Where nothing but the list of all scenes has it, Redis has lost its hash.
            local root = rootOf(ARGV[2]) or redis.call('ZSCORE', 'vms:used', ARGV[2]) and ARGV[2]
            local isThere = root and redis.call('HLEN', sceneKey(root)) > 0
            if not root or isThere and redis.call('HEXISTS', sceneKey(root), 'session:' .. ARGV[2]) == 0
                and redis.call('HEXISTS', sceneKey(root), 'readKey:' .. ARGV[2]) == 0
            then
                return {'ok'}
            end
            local stored = redis.call('HMGET', sceneKey(root), 'holder', 'fence', 'commit')
            local holder, fence, number = stored[1], tonumber(stored[2] or 0), tonumber(stored[3] or 0)
            local begins = ARGV[5] == '1'
            if ARGV[1] ~= '' and isThere and holder ~= ARGV[1] then
                begins = true
                local lease = holder and redis.call('GET', 'vms:server:' .. holder)
                if lease and holder ~= ARGV[3] then return {'held', lease} end
                if lease then redis.call('DEL', 'vms:server:' .. holder) end
                fence, number = fence + 1, 0
                redis.call('HSET', sceneKey(root), 'holder', ARGV[1], 'fence', fence, 'commit', number)
                addToLists(root)
            end
            local scene, sessions = redis.call('HGETALL', sceneKey(root)), {}
            for _, place in ipairs(placesIn(scene, root)) do
                local session = sessionKey(root, place[1])
                if begins and redis.call('HLEN', session) > 0 then beginEpoch(session, ARGV[4]) end
                local log = redis.call('ZRANGEBYLEX', logKey(root, place[1]), '-', '+')
                sessions[#sessions + 1] = {place[1], place[2], redis.call('HGETALL', session), log}
            end
            return {'ok', fence, number, root, scene, sessions}
            """)

    /// Checks that a server has a scene. `ARGV`: the server's id, the root's key, the fence, the number of the newest commit.
    static let owner = RedisScript(
        "owner",
        names + """
            local stored = redis.call('HMGET', sceneKey(ARGV[2]), 'holder', 'fence', 'commit')
            if not stored[2] then return {'gone'} end
            if stored[1] ~= ARGV[1] or stored[2] ~= ARGV[3] then return {'other'} end
            if tonumber(stored[3]) < tonumber(ARGV[4]) then return {'behind'} end
            return {'ok'}
            """)

    /// Gives a scene up. `ARGV`: the server's id, the root's key, the fence.
    static let release = RedisScript(
        "release",
        names + """
            local stored = redis.call('HMGET', sceneKey(ARGV[2]), 'holder', 'fence')
            if stored[1] == ARGV[1] and stored[2] == ARGV[3] then redis.call('HDEL', sceneKey(ARGV[2]), 'holder') end
            return {'ok'}
            """)

    /// Lists scenes that a person may come back to, as their roots are. `ARGV`: the server's id; the number of scenes looked
    /// at so far, the most recently used first, and the number to look at; how many scenes and bytes to list at most; how
    /// many bytes a scene counts for beside its arguments; the number of beginnings of a `once`, these, and the owners.
    ///
    /// The answer is the number of scenes that were looked at, and those that are listed: root, owner, `once`, `used`, the
    /// lease of the server that has it, view model, arguments, notes.
    ///
    /// Two calls of Redis for each scene that is looked at, and three more for each that is listed. Nothing finds the scenes
    /// of a person without looking at those of others, as scenes of earlier servers are to be found, too.
    static let list = RedisScript(
        "list",
        names + """
            local first = 8
            local prefixes = tonumber(ARGV[7])
            local function isListed(owner, once)
                for i = first, first + prefixes - 1 do
                    if once and string.sub(once, 1, #ARGV[i]) == ARGV[i] then return true end
                end
                if once and string.sub(once, 1, \(SceneFilter.scopePrefix.utf8.count)) == '\(SceneFilter.scopePrefix)' then
                    return false
                end
                for i = first + prefixes, #ARGV do
                    if owner == ARGV[i] then return true end
                end
                return false
            end
            local roots = redis.call('ZREVRANGE', 'vms:used', ARGV[2], ARGV[2] + ARGV[3] - 1)
            local found, bytes = {}, tonumber(ARGV[5])
            for _, root in ipairs(roots) do
                local scene = redis.call('HMGET', sceneKey(root), 'owner', 'once', 'used', 'holder', 'session:' .. root)
                if scene[5] and isListed(scene[1], scene[2]) then
                    local session = redis.call('HMGET', sessionKey(root, scene[5]), 'viewModel', 'arguments', 'notes')
                    local size = tonumber(ARGV[6]) + #(session[2] or '')
                    if session[1] and size <= bytes then
                        bytes = bytes - size
                        local lease = scene[4] and redis.call('GET', 'vms:server:' .. scene[4])
                        found[#found + 1] = {root, scene[1], scene[2], scene[3], lease, session[1], session[2], session[3]}
                    end
                    if #found >= tonumber(ARGV[4]) then break end
                end
            end
            return {'ok', #roots, found}
            """)

    /// Sets the last use of scenes whose server counted no time to this moment. `ARGV`: the server's id, the number of scenes
    /// looked at so far, and the number to look at.
    ///
    /// The answer is the number of scenes that were looked at.
    static let adopt = RedisScript(
        "adopt",
        """
        if redis.call('ZCARD', 'vms:used') <= redis.call('ZCARD', 'vms:lastUse') then return {'ok', 0} end
        local passed = redis.call('HGET', KEYS[1], 'passed') or '0'
        local roots = redis.call('ZRANGE', 'vms:used', ARGV[2], ARGV[2] + ARGV[3] - 1)
        for _, root in ipairs(roots) do redis.call('ZADD', 'vms:lastUse', 'NX', passed, root) end
        return {'ok', #roots}
        """)

    /// Removes unused scenes, except those of other servers that are running: these servers note the uses themselves. `ARGV`:
    /// the server's id, the seconds without use, the number of scenes to skip, since they are known to be other servers', and
    /// the number to look at.
    ///
    /// The answer is the number of scenes that were looked at, and the roots' keys of those that were removed.
    static let sweep = RedisScript(
        "sweep",
        names + removal + """
            local time = (redis.call('HGET', KEYS[1], 'passed') or 0) - ARGV[2]
            local roots = redis.call(
                'ZRANGEBYSCORE', 'vms:lastUse', '-inf', '(' .. string.format('%.0f', time), 'LIMIT', ARGV[3], ARGV[4])
            local removed = {}
            for _, root in ipairs(roots) do
                local holder = redis.call('HGET', sceneKey(root), 'holder')
                if not holder or holder == ARGV[1] or redis.call('EXISTS', 'vms:server:' .. holder) == 0 then
                    removeScene(root)
                    removed[#removed + 1] = root
                end
            end
            return {'ok', #roots, removed}
            """)

    /// Removes a scene of which a part is lost, so that no server can go on with it. `ARGV`: the server's id, the root's key.
    static let discard = RedisScript(
        "discard",
        names + removal + """
            removeScene(ARGV[2])
            return {'ok'}
            """)
}
