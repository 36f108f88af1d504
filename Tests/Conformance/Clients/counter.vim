" A session with the counter from Vim 9, by nothing but its channels, which speak the base protocol in mode 'lsp':
"
"   VIEW_MODEL_SERVER=.build/debug/view-model-server vim -Nu NONE -es -S Tests/Conformance/Clients/counter.vim </dev/null
"
" Prints what it sees, a line each.

let s:server = empty($VIEW_MODEL_SERVER) ? 'view-model-server' : $VIEW_MODEL_SERVER
let s:patience = 120.0 " seconds
let s:seen = {}

func s:Say(...)
  call writefile([call('printf', a:000)], '/dev/stdout', 'a')
endfunc

" Vim takes messages while it sleeps.
func s:WaitUntil(what, IsSo)
  let start = reltime()
  while !a:IsSo()
    if reltimefloat(reltime(start)) > s:patience | throw 'timed out: ' .. a:what | endif
    sleep 1m
  endwhile
endfunc

" What a View does: it renders events. Vim calls this for each message that answers nothing, in order.
func s:OnMessage(channel, message)
  if get(a:message, 'method', '') !=# 'viewModel/event' | return | endif
  let params = a:message.params
  let s:seen[params.session] = params.seq
  call s:Say('session %d event %d: %s', params.session, params.seq, s:Render(params.event))
endfunc

func s:Render(event)
  if a:event.kind ==# 'count' | return printf('count %d', a:event.value) | endif
  if a:event.kind ==# 'loading' | return a:event.value ? 'loading' : 'not loading' | endif
  let [rows, first, last] = [a:event.value, a:event.value[0], a:event.value[-1]]
  return printf('%d rows from "%s" to "%s" at %.2f', len(rows), first.name, last.name, last.total)
endfunc

func s:OnExit(job, status)
  let s:status = a:status
endfunc

func s:Start()
  let s:job = job_start([s:server, '--stdio'], #{
        \ in_mode: 'lsp', out_mode: 'lsp', err_io: 'null',
        \ out_cb: function('s:OnMessage'), exit_cb: function('s:OnExit')})
  let s:channel = job_getchannel(s:job)
  let params = #{processId: getpid(), clientInfo: #{name: 'Vim'}, capabilities: {}}
  " Waits for the answer; what else arrives is handled afterwards.
  let answer = ch_evalexpr(s:channel, #{method: 'initialize', params: params}, #{timeout: 120000})
  call s:Say('initialize: %s speaks %s', answer.result.serverInfo.name, answer.result.protocolVersion)
endfunc

func s:Describe(error)
  if has_key(a:error, 'data') | return printf('error %d at %s', a:error.code, a:error.data.path) | endif
  return printf('error %d, %s', a:error.code, a:error.message)
endfunc

" Sends a request and waits for its answer, which is printed when it comes, among the events: a title and what Show makes
" of the result, or the error.
func s:Request(title, method, params, Show)
  let box = {}
  let request = #{method: a:method}
  if a:params isnot v:null | let request.params = a:params | endif
  call ch_sendexpr(s:channel, request, #{callback: {_, answer -> s:OnAnswer(a:title, a:Show, box, answer)}})
  call s:WaitUntil(a:title, {-> has_key(box, 'result')})
  return box.result
endfunc

func s:OnAnswer(title, Show, box, answer)
  call s:Say('%s: %s', a:title, has_key(a:answer, 'error') ? s:Describe(a:answer.error) : a:Show(a:answer.result))
  let a:box.result = get(a:answer, 'result', v:null)
endfunc

func s:Open(viewModel, arguments)
  let params = #{viewModel: a:viewModel, arguments: a:arguments}
  let Show = {result -> 'session ' .. result.session}
  return s:Request('session/open ' .. a:viewModel, 'session/open', params, Show).session
endfunc

func s:Send(title, session, event)
  call s:Request(a:title, 'view/event', #{session: a:session, event: a:event}, {result -> 'seq ' .. result.seq})
endfunc

func s:Increment(session, amount)
  call s:Send('increment by ' .. json_encode(a:amount), a:session, #{kind: 'increment', by: a:amount})
endfunc

func s:Count(session)
  call s:Increment(a:session, 3)
  " A notification has no answer; the events that follow tell what it did.
  let one = #{session: a:session, event: #{kind: 'increment', by: 1}}
  call ch_sendexpr(s:channel, #{method: 'view/event', params: one})
  call ch_sendexpr(s:channel, #{method: 'view/event', params: one})
  call s:Send('reset', a:session, #{kind: 'reset'})
  call s:Send('load', a:session, #{kind: 'load'})
  call s:Increment(a:session, 'x')
  call s:Increment(a:session, -5)
  call s:Increment(a:session, 9200000000000000000)
  call s:Increment(a:session, 9200000000000000000)
endfunc

" Cancels as Vim's help says: a message with the request's own id.
func s:Cancel(session)
  let box = {}
  let event = #{method: 'view/event', params: #{session: a:session, event: #{kind: 'loadOrders'}}}
  let request = ch_sendexpr(s:channel, event, #{callback: {_, answer -> extend(box, #{answer: answer})}})
  call s:WaitUntil('loading', {-> get(s:seen, a:session) == 1})
  call s:SendCancel(request.id)
  call s:WaitUntil('cancelled', {-> has_key(box, 'answer')})
  let error = get(box.answer, 'error', #{code: 0, message: 'not cancelled'})
  call s:Say('loadOrders: %s', error.code == -32800 ? 'cancelled' : s:Describe(error))
endfunc

func s:SendCancel(id)
  call ch_sendexpr(s:channel, #{method: '$/cancelRequest', id: a:id})
endfunc

func s:List()
  let Show = {result -> result.sessions->map({_, view -> view.session})->join(' ')}
  call s:Request('session/list', 'session/list', v:null, Show)
endfunc

func s:Close(session)
  call s:Request('session/close ' .. a:session, 'session/close', #{session: a:session}, {_ -> 'done'})
endfunc

func s:Stop()
  let answer = ch_evalexpr(s:channel, #{method: 'shutdown'}, #{timeout: 120000})
  call s:Say('shutdown: %s', has_key(answer, 'error') ? s:Describe(answer.error) : 'done')
  call ch_sendexpr(s:channel, #{method: 'exit'})
  call s:WaitUntil('exit', {-> exists('s:status')})
  call s:Say('exit: status %d', s:status)
endfunc

func s:Run()
  call s:Start()
  let counter = s:Open('counter', #{start: 5})
  call s:Count(counter)
  let orders = s:Open('orders', #{delay: 600})
  call s:Cancel(orders)
  call s:List()
  call s:Close(orders)
  call s:Close(counter)
  call s:Send('reset after close', counter, #{kind: 'reset'})
  call s:Stop()
endfunc

try
  call s:Run()
catch
  call writefile([v:exception .. ' at ' .. v:throwpoint], '/dev/stderr', 'a')
  cquit 1
endtry
qall!
