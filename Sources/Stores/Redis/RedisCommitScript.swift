/// The script that stores changes, in parts.
extension RedisScript {
    /// `ARGV` has the server's id, and for each scene: the root's key, the fence, the commit's number, `1` where the root is
    /// removed, the number of arguments that the changes take, and the changes as `RedisChanges` writes them. Where the
    /// commit makes the scene, the fence and the number are 1. Both are 0 where the server doesn't have the scene.
    ///
    /// The answer has an element for each scene: its outcome and, where there is one, a reason.
    static let commit = RedisScript("commit", arguments + names + removal + checks + changes + run)

    private static let arguments = """
        local at = 1
        local function take()
            at = at + 1
            return ARGV[at]
        end
        local function skip(count) at = at + count end

        """

    /// The functions that read the changes, and throw where one can't be stored. Tables have the effects of earlier changes
    /// of the call.
    private static let checks = """
        local check, isScene, isSession, isOnce, newest = {}, {}, {}, {}, {}
        local function refuse(reason) error({'refused', reason}) end
        -- The root of the scene that is looked at or changed. Its hash alone says which sessions it has: the key by which a
        -- session is found may be lost.
        local current
        local function placeOf(key) return redis.call('HGET', sceneKey(current), 'session:' .. key) end
        local function hasScene(root)
            if isScene[root] == nil then isScene[root] = redis.call('HLEN', sceneKey(root)) > 0 end
            return isScene[root]
        end
        -- The number of its newest event; false where there is no such session.
        local function newestOf(key)
            if newest[key] ~= nil then return newest[key] end
            local place = placeOf(key)
            newest[key] = place and redis.call('HGET', sessionKey(current, place), 'newest')
            if place then
                if not newest[key] then error({'part'}) end
                redis.call('ZCARD', logKey(current, place))
            end
            return newest[key]
        end

        function check.scene()
            local root, _, _, hasOnce, once = take(), take(), take(), take(), take()
            if hasScene(root) then refuse('a scene of this key is stored') end
            isScene[root] = true
            if hasOnce == '1' then
                if isOnce[once] then refuse('an opening of this secret is stored') end
                -- It was sent to two servers, or two clients have opened the session of a scope.
                if redis.call('EXISTS', 'vms:once:' .. once) == 1 then error({'once'}) end
                isOnce[once] = true
            end
        end
        function check.session()
            local root, key = take(), take()
            skip(6)
            if not hasScene(root) then refuse('the scene of a session is not stored') end
            local other = newest[key] == nil and rootOf(key)
            if newestOf(key) or other and other ~= root then refuse('a session of this key is stored') end
            newest[key] = string.rep('0', 19)
        end
        function check.turn()
            local key, last = take(), take()
            local before = newestOf(key)
            skip(4)
            if before and last < before then refuse('the numbers of a session go back') end
            for _ = 1, tonumber(take()) do
                local number = take()
                skip(3)
                if before and (number <= before or number > last) then refuse('an event has a number of another') end
                before = before and number
            end
            skip(2 * tonumber(take()))
            skip(2)
            skip(2 * tonumber(take()))
            newest[key] = newest[key] and last
        end
        function check.readKey()
            local session, key = take(), take()
            newestOf(session)
            local other = rootOf(key)
            if other and other ~= current then refuse('a session of this key is stored') end
        end
        function check.remove()
            local key = take()
            redis.call('HLEN', sceneKey(current))
            isScene[key], newest[key] = false, false
        end
        function check.use()
            hasScene(take())
            skip(2)
        end
        function check.share()
            if not hasScene(take()) then refuse('the scene of shared values is not stored') end
            skip(2 * tonumber(take()))
        end

        """

    private static let changes = """
        local change = {}
        -- In the time that the store counts, and in that of the server, for people.
        local function noteUse(root, used, ahead)
            redis.call('ZADD', 'vms:used', used, root)
            redis.call('ZADD', 'vms:lastUse', (redis.call('HGET', KEYS[1], 'passed') or 0) + ahead, root)
        end
        function change.scene()
            local root, owner, used, hasOnce, once = take(), take(), take(), take(), take()
            redis.call('HSET', sceneKey(root), 'owner', owner, 'used', used)
            noteUse(root, used, 0)
            if hasOnce == '1' then
                redis.call('HSET', sceneKey(root), 'once', once)
                redis.call('SET', 'vms:once:' .. once, root)
            end
        end
        function change.session()
            local root, key, viewModel, hasArguments, arguments, argumentsVersion, shownBy, isDurable =
                take(), take(), take(), take(), take(), take(), take(), take()
            local place = redis.call('HINCRBY', sceneKey(root), 'count', 1)
            redis.call('HSET', sceneKey(root), 'session:' .. key, place)
            if key ~= root then redis.call('SET', 'vms:session:' .. key, root) end
            local zero = string.rep('0', 19)
            redis.call('HSET', sessionKey(root, place), 'key', key, 'viewModel', viewModel, 'shownBy', shownBy,
                'isDurable', isDurable, 'newest', zero, 'lost', zero, 'hasAllEvents', 1, 'isStarted', 0, 'version', 0,
                'entries', 0)
            if hasArguments == '1' then redis.call('HSET', sessionKey(root, place), 'arguments', arguments) end
            if argumentsVersion ~= '1' then
                redis.call('HSET', sessionKey(root, place), 'argumentsVersion', argumentsVersion)
            end
        end

        -- Returns by how many the log has grown.
        local function addEntry(session, log, number, hasKey, key, member)
            local removed = 0
            if hasKey == '1' then
                local before = redis.call('HGET', session, 'key:' .. key)
                if before then removed = redis.call('ZREMRANGEBYLEX', log, '[' .. before, '(' .. before .. '~') end
                redis.call('HSET', session, 'key:' .. key, number)
            end
            return redis.call('ZADD', log, 0, member) - removed
        end
        -- Returns how many.
        local function removeEntries(session, log, lost)
            local range = '(' .. lost .. '~'
            for _, member in ipairs(redis.call('ZRANGEBYLEX', log, '-', range)) do
                local length = string.match(string.sub(member, 21, 40), '^(%d+):')
                if length then
                    local start = 22 + #length
                    redis.call('HDEL', session, 'key:' .. string.sub(member, start, start + tonumber(length) - 1))
                end
            end
            return redis.call('ZREMRANGEBYLEX', log, '-', range)
        end
        -- By what was done, not by what is there: so a log that Redis has lost in between is noticed when it is read. It is
        -- whole again when nothing of before is in it.
        local function countEntries(session, log, grown, isNew)
            if not isNew and redis.call('HEXISTS', session, 'entries') == 1 then
                redis.call('HINCRBY', session, 'entries', grown)
            else
                redis.call('HSET', session, 'entries', redis.call('ZCARD', log))
            end
        end
        function change.turn()
            local key, last, lost, hasAllEvents, isStarted, version = take(), take(), take(), take(), take(), take()
            local place = placeOf(key)
            local session, log = place and sessionKey(current, place), place and logKey(current, place)
            local before = place and redis.call('HGET', session, 'newest')
            -- Without a place it has ended.
            if place then
                -- What finds it, where Redis has lost that.
                if key ~= current then redis.call('SET', 'vms:session:' .. key, current) end
                redis.call('HSET', session, 'newest', last, 'lost', lost, 'hasAllEvents', hasAllEvents,
                    'isStarted', isStarted, 'version', version)
            end
            local grown = 0
            for _ = 1, tonumber(take()) do
                local number, hasKey, key, member = take(), take(), take(), take()
                if place then grown = grown + addEntry(session, log, number, hasKey, key, member) end
            end
            if place then
                countEntries(session, log, grown - removeEntries(session, log, lost), lost >= before)
            end
            for _ = 1, tonumber(take()) do
                local name, number = take(), take()
                if place and number == '0' then
                    redis.call('HDEL', session, 'client:' .. name)
                    redis.call('HSET', session, 'hasForgottenClients', 1)
                elseif place then
                    redis.call('HSET', session, 'client:' .. name, number)
                end
            end
            local hasNotes, notes = take(), take()
            if place and hasNotes == '1' then redis.call('HSET', session, 'notes', notes) end
            for _ = 1, tonumber(take()) do
                local name, value = take(), take()
                if place then redis.call('HSET', session, 'saved:' .. name, value) end
            end
        end

        function change.readKey()
            local session, key = take(), take()
            local place = placeOf(session)
            if place then
                removeReadKey(current, place)
                redis.call('HSET', sessionKey(current, place), 'readKey', key)
                redis.call('HSET', sceneKey(current), 'readKey:' .. key, session)
                redis.call('SET', 'vms:session:' .. key, current)
            end
        end
        function change.remove()
            local key = take()
            if key == current then return removeScene(key) end
            local place = placeOf(key)
            if place then
                redis.call('HDEL', sceneKey(current), 'session:' .. key)
                removeSession(current, key, place)
            end
        end
        function change.use()
            local root, used, ahead = take(), take(), take()
            if redis.call('HLEN', sceneKey(root)) > 0 then
                redis.call('HSET', sceneKey(root), 'used', used)
                noteUse(root, used, ahead)
            end
        end
        function change.share()
            local root = take()
            for _ = 1, tonumber(take()) do redis.call('HSET', sceneKey(root), 'shared:' .. take(), take()) end
        end

        """

    private static let run = """
        -- What is known of a scene's commit without its changes; nil where they are to be looked at.
        local function judge(scene)
            local stored = redis.call('HMGET', sceneKey(scene.root), 'holder', 'fence', 'commit')
            if not stored[2] then
                -- Where the server hasn't got it, it has ended; where it makes it, nothing is stored yet.
                if scene.fence == scene.number and scene.fence < 2 then return nil end
                return scene.isRemoved and {'stored'} or {'gone'}
            end
            if stored[1] ~= ARGV[1] or tonumber(stored[2] or 0) ~= scene.fence then return {'other'} end
            local newest = tonumber(stored[3] or 0)
            if newest == scene.number then return {'stored'} end
            if newest + 1 ~= scene.number then return {'behind'} end
            return nil
        end

        -- What becomes of a scene's commit; nil where it can be stored. Throws where the whole call is of no use.
        local function judgeAll(scene)
            local outcome
            local isFine, reason = pcall(function()
                outcome = judge(scene)
                at, current = scene.first, scene.root
                while not outcome and at < scene.last do check[take()]() end
            end)
            if isFine then return outcome end
            if type(reason) == 'table' and reason[1] then return reason end
            local text = type(reason) == 'table' and reason.err or reason
            if type(text) == 'string' then
                if string.find(text, 'WRONGTYPE', 1, true) then return {'refused', text} end
                -- The error of a command, by its code.
                if string.find(text, '^%u+ ') then return {'error', text} end
            end
            error(reason)
        end

        local scenes, outcomes = {}, {'ok'}
        redis.call('ZCARD', 'vms:used')
        redis.call('ZCARD', 'vms:lastUse')
        redis.call('HLEN', KEYS[1])
        while at < #ARGV do
            local scene = {root = take(), fence = tonumber(take()), number = tonumber(take()), isRemoved = take() == '1'}
            local count = tonumber(take())
            scene.first, scene.last = at, at + count
            local outcome = judgeAll(scene)
            if outcome and outcome[1] == 'error' then return redis.error_reply(outcome[2]) end
            if not outcome then scenes[#scenes + 1] = scene end
            outcomes[#outcomes + 1] = outcome or {'stored'}
            at = scene.last
        end
        -- A user that may not run one of these would stop it half way. Redis 6 can't be asked.
        if redis.acl_check_cmd and #scenes > 0 then
            local other, sets = 'vms:session:', 'vms:used'
            for _, command in ipairs({
                {'HSET', other, 'a', 'b'}, {'HGET', other, 'a'}, {'HDEL', other, 'a'}, {'HINCRBY', other, 'a', '1'},
                {'HEXISTS', other, 'a'}, {'HGETALL', other}, {'SET', other, 'a'}, {'DEL', other}, {'UNLINK', other},
                {'ZADD', sets, '1', 'a'}, {'ZREM', sets, 'a'}, {'ZCARD', sets}, {'ZRANGEBYLEX', sets, '-', '+'},
                {'ZREMRANGEBYLEX', sets, '-', '+'},
            }) do
                if not redis.acl_check_cmd(unpack(command)) then
                    return redis.error_reply('NOPERM this user has no permissions to run ' .. command[1])
                end
            end
        end
        -- From here on nothing can fail.
        for _, scene in ipairs(scenes) do
            if scene.fence > 0 then
                redis.call('HSET', sceneKey(scene.root), 'holder', ARGV[1], 'fence', scene.fence, 'commit', scene.number)
            end
            at, current = scene.first, scene.root
            while at < scene.last do change[take()]() end
        end
        return outcomes
        """
}
