vim9script
# A server that Vim starts, or one that listens: Vim's channels, which frame and match messages themselves.
#
# `on` has Opened(), Notification(method, params) and Closed(reason).

# Milliseconds that an address may take to answer; Vim blocks meanwhile.
const patience = 300

export def Open(config: dict<any>, on: dict<any>): dict<any>
  var transport = {on: on, is_closed: false}
  if has_key(config, 'address')
    Dial(transport, config.address)
  else
    Start(transport, config.command)
  endif
  return transport
enddef

def Lose(transport: dict<any>, reason: string)
  if transport.is_closed
    return
  endif
  transport.is_closed = true
  transport.on.Closed(reason)
enddef

# The caller that opens it isn't ready yet.
def Soon(Act: func)
  timer_start(0, (_) => Act())
enddef

def Dial(transport: dict<any>, address: string)
  var reason = 'the server closed it'
  try
    # A Unix socket answers at once, and Vim takes no `waittime` for it.
    var options: dict<any> = address =~ '/' ? {} : {waittime: patience}
    transport.channel = ch_open(address =~ '/' ? 'unix:' .. address : address, extend(options, {
      mode: 'lsp',
      callback: (_, message) => Take(transport, message),
      close_cb: (_) => Lose(transport, $'no connection to {address}: {reason}'),
    }))
    if ch_status(transport.channel) !=# 'open'
      reason = 'it was refused'
    endif
  catch
    reason = substitute(v:exception, '^Vim[^:]*:E\d\+: ', '', '')
  endtry
  if has_key(transport, 'channel') && ch_status(transport.channel) ==# 'open'
    Soon(() => transport.on.Opened())
  else
    Soon(() => Lose(transport, $'no connection to {address}: {reason}'))
  endif
enddef

def Start(transport: dict<any>, command: list<string>)
  var name = fnamemodify(command[0], ':t')
  if executable(command[0]) == 0
    Soon(() => Lose(transport, $'the server "{name}" could not be started'))
    return
  endif
  transport.job = job_start(command, {
    in_mode: 'lsp', out_mode: 'lsp', err_io: 'null',
    out_cb: (_, message) => Take(transport, message),
    exit_cb: (job, status) => Lose(transport, $'the server "{name}" ended with {Cause(job, status)}'),
  })
  transport.channel = job_getchannel(transport.job)
  Soon(() => transport.on.Opened())
enddef

def Cause(job: job, status: number): string
  var signal = job_info(job).termsig
  return signal ==# '' ? $'status {status}' : $'signal {signal}'
enddef

def Take(transport: dict<any>, message: dict<any>)
  if transport.is_closed || !has_key(message, 'method')
    return
  endif
  if !has_key(message, 'id')
    transport.on.Notification(message.method, get(message, 'params', {}))
  elseif message.method ==# 'ping'
    Send(transport, {id: message.id, result: null})
  else
    Send(transport, {id: message.id, error: {code: -32601, message: 'no such method: ' .. message.method}})
  endif
enddef

def Send(transport: dict<any>, message: dict<any>)
  if !transport.is_closed && ch_status(transport.channel) ==# 'open'
    Write(transport, message, {})
  endif
enddef

# Returns what was sent, or an empty dictionary where the other side is gone, which Closed() will say.
def Write(transport: dict<any>, message: dict<any>, options: dict<any>): dict<any>
  var sent: any = {}
  try
    sent = ch_sendexpr(transport.channel, message, options)
  catch /E631:/
  endtry
  return type(sent) == v:t_dict ? sent : {}
enddef

def Answered(transport: dict<any>, answer: dict<any>, Callback: func)
  if !transport.is_closed
    Callback(get(answer, 'error', null), get(answer, 'result', null))
  endif
enddef

# Sends a request and returns its id, or 0; Callback(error, result) is called with null for the one that there isn't.
export def Request(transport: dict<any>, method: string, params: any, Callback: func): number
  if transport.is_closed || ch_status(transport.channel) !=# 'open'
    return 0
  endif
  var message = type(params) == v:t_none ? {method: method} : {method: method, params: params}
  var sent = Write(transport, message, {callback: (_, answer) => Answered(transport, answer, Callback)})
  return get(sent, 'id', 0)
enddef

export def Notify(transport: dict<any>, method: string, params: dict<any>)
  Send(transport, {method: method, params: params})
enddef

# Vim has a shape of its own for this: the id of the request that is cancelled, and no params.
export def Cancel(transport: dict<any>, id: number)
  Send(transport, {method: '$/cancelRequest', id: id})
enddef

export def Close(transport: dict<any>)
  transport.is_closed = true
  if has_key(transport, 'job')
    job_stop(transport.job)
  elseif has_key(transport, 'channel') && index(['open', 'buffered'], ch_status(transport.channel)) >= 0
    ch_close(transport.channel)
  endif
enddef

# Leaves the sessions of this connection, and waits for that half a second at most.
export def Leave(transport: dict<any>)
  if transport.is_closed || ch_status(transport.channel) !=# 'open'
    return
  endif
  try
    ch_evalexpr(transport.channel, {method: 'shutdown'}, {timeout: 500})
  catch /E631:/
  endtry
  Notify(transport, 'exit', {})
enddef
