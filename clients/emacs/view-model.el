;;; view-model.el --- Views of hosted view models  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1") (jsonrpc "1.0.14"))
;; Keywords: comm, tools

;;; Commentary:

;; A server hosts view models, and this package shows them.
;; `M-x view-model' asks for one of those that the server has and
;; opens it in a buffer.  Nothing is decided here: what the user does
;; goes to the view model, and what the view model says is shown, with
;; the children that it pushes onto the screen and the questions that
;; it presents.
;;
;; `view-model-address' names a server that runs; without one,
;; `view-model-command' is started.  A connection that is lost is made
;; again, and goes on where it was.
;;
;; The orders of the examples have modes of their own, which are in
;; view-model-orders.el.  Any other view model is shown by
;; `view-model-generic-mode'.  A mode of your own derives from
;; `view-model-mode', sets the functions that are named there, calls
;; `view-model-send', and is entered in `view-model-modes'.
;;
;; A list of a view model may have any number of rows.  They are in
;; view-model-rows.el, and `view-model-show-list' shows them.
;;
;; `M-x view-model-find' finds files and lines by the finder of the
;; examples, and is in view-model-find.el.

;;; Code:

(require 'cl-lib)
(require 'json)
(require 'jsonrpc)
(require 'seq)
(require 'subr-x)
(require 'view-model-rows)
(require 'view-model-watch)

(autoload 'view-model-show-list "view-model-list" nil t)
(autoload 'view-model-orders-mode "view-model-orders")
(autoload 'view-model-order-details-mode "view-model-orders")
(autoload 'view-model-confirm-mode "view-model-orders")
(autoload 'view-model-find-mode "view-model-find")
(autoload 'view-model-find-preview-mode "view-model-find")

;; In Emacs itself, where it was built with GnuTLS.
(declare-function gnutls-hash-digest "gnutls.c" (digest-method input))

;;; Options

(defgroup view-model nil
  "Views of hosted view models."
  :group 'tools
  :prefix "view-model-")

(defcustom view-model-address nil
  "Where a running server is, or nil to start one with `view-model-command'.
HOST:PORT, or the path of a Unix socket."
  :type '(choice (const :tag "Start a server" nil) (string :tag "HOST:PORT or path")))

(defcustom view-model-command '("view-model-server" "--stdio")
  "The program to start where `view-model-address' is nil, with its arguments."
  :type '(repeat string)
  :risky t)

(defcustom view-model-token nil
  "The server's token: a string, a function that returns one, or nil for none."
  :type '(choice (const :tag "Nothing" nil) string function)
  :risky t)

(defcustom view-model-timeout 10
  "Seconds that a command waits for an answer of the server."
  :type 'number)

(defcustom view-model-modes nil
  "Major modes that show view models, by a view model's type or name.
The type is the Swift type with its module, such as
\"Finder.FinderViewModel\", which the server tells.  It is looked up
first.  A name counts for the view models of any server that have it.
These modes go before those that come with this package."
  :type '(alist :key-type string :value-type function))

(defconst view-model--own-modes
  '(("Examples.OrdersViewModel" . view-model-orders-mode)
    ("Examples.OrderDetailsViewModel" . view-model-order-details-mode)
    ("Examples.ConfirmCancelViewModel" . view-model-confirm-mode)
    ("Examples.FinderViewModel" . view-model-find-mode)
    ("Examples.FinderPreviewViewModel" . view-model-find-preview-mode))
  "The modes that come with this package, by the types of view models.
A name alone may be that of another server's view model.")

(defcustom view-model-generic-events 20
  "How many of the last events `view-model-generic-mode' shows."
  :type 'natnum)

(defface view-model-title '((t :inherit bold))
  "The title of a view model.")

(defface view-model-key '((t :inherit help-key-binding))
  "A key that does something here.")

(defface view-model-cancelled '((t :inherit shadow :strike-through t))
  "An order that was cancelled.")

(defface view-model-stale '((t :inherit shadow))
  "Content that may be old, since there is no connection or no session.")

(defface view-model-waiting '((t :inherit warning))
  "Events that wait to be sent, or weren't sent.")

(defface view-model-problem '((t :inherit error))
  "Errors of view models and their server.")

;;; Servers and views

(cl-defstruct (view-model--server (:constructor view-model--make-server) (:copier nil))
  "A server, and how things stand with it."
  target                            ; the address, a string, or the command, a list
  (state 'none)                     ; none, connecting, ready, waiting (for the next try), ended, closing
  problem is-refused                ; why there is no connection, in words; the server refused it
  token process connection
  watch is-silent                   ; over the connection; it doesn't answer
  stall                             ; why what its store has to take isn't answered, as it says
  is-durable                        ; it has a store
  (sessions (make-hash-table))      ; the views, by the number that the session has on this connection
  (tokens (make-hash-table))        ; the views, by the token of a request's progress until its end
  (next-token 0)
  roots                             ; the views that nothing pushed or presented
  names                             ; of the view models that can be opened
  types                             ; of all that the server told of, an alist by their names
  (row-limit 1000)                  ; how many rows it gives at once
  (schemas (make-hash-table :test #'equal))
  (attempts 0) timer)

(cl-defstruct (view-model--view (:constructor view-model--make-view) (:copier nil))
  "One view of one session."
  server name arguments key
  session                           ; its number on this connection, nil while it isn't attached
  (once (view-model--random-name))  ; by which the server knows an open that it answered before
  (attachings 0)                    ; how often it was attached
  (seq 0) is-known                  ; the newest event's number, once there was an answer
  epoch                             ; of the history in which that is counted, where the server tells
  (name-number (view-model--take-name-number))
  (number 0)                        ; of the event that was sent last
  pending                           ; the events that weren't answered, oldest first
  (unanswered 0)                    ; how many other requests weren't
  refusal                           ; why it is attached, or sends, a little later, as the server says
  rests                             ; what it sends waits for that time
  host kind children presented      ; kind is pushed or presented, and nil for a root
  buffer paint-timer
  lists                             ; those that its mode asked for, or that the server told of
  front                             ; the buffer of a list, if what was pushed last covered that
  reason                            ; why the session ended, in words
  kept                              ; what the server says of it, or t, where it may still have the session
  was-durable                       ; the session may be in a store
  progress                          ; tokens and what they have come to, in words, newest first
  failure                           ; an error of the mode that shows it, in words
  is-shared is-removed is-left      ; somebody else opened it; it was taken off the screen; by the user
  is-replaced                       ; another view has taken its place
  was-replaced                      ; one has on this connection, from which it came back
  is-fleeting                       ; `view-model-is-fleeting' of its mode
  label)                            ; what unsent events are known by, once it was taken off

(cl-defstruct (view-model--sent (:constructor view-model--make-sent) (:copier nil))
  "An event for the view model that wasn't answered yet."
  number event id
  session was-sent                  ; where the request went that carries it; whether one ever did
  was-taken                         ; the server told, as the view was attached, that it has taken it
  is-nobodys                        ; the view sent it by itself, or the user has taken it back
  is-late)                          ; its answer was awaited in vain, as the user wanted to leave

(cl-defstruct (view-model--unsent (:constructor view-model--make-unsent) (:copier nil))
  "An event that no session took."
  root label event was-sent)        ; the names of its root and its view; it was sent, and no answer came

(defun view-model--random-name ()
  "Return 128 bits at random or more, as text."
  (secure-hash 'sha256
               (or (ignore-errors (gnutls-hash-digest 'SHA256 '(iv-auto 32)))
                   (format "%s %s %s %s %s" (random) (random) (random) (current-time) (emacs-pid)))))

(defconst view-model--own-name (view-model--random-name)
  "What servers know this Emacs by, over all connections.")

(defvar view-model--name-numbers nil
  "The numbers that are in the names of views.")

(defun view-model--take-name-number ()
  "Return the lowest number that no view has in its name.
A name is that of one view at a time, and what is shown here again
is shown under the same name."
  (let ((number 1))
    (while (memq number view-model--name-numbers) (cl-incf number))
    (push number view-model--name-numbers)
    number))

(defun view-model--client-name (view)
  "Return what servers know VIEW by."
  (format "%s-%d" view-model--own-name (view-model--view-name-number view)))

(defvar view-model--senders nil
  "The views that sent something which may be unanswered.
Some of them have left the screen.")

(defvar view-model--sends-by-itself nil
  "Whether a view sends something that nobody typed.")

(defvar view-model--left nil
  "The sessions that were left and go on, newest first, as (KEY . NAME).")

(defvar view-model--servers nil
  "The servers that are in use.")

(defvar view-model--unsent nil
  "The events that no session took, oldest first.")

(defvar view-model--connections 0
  "How many connections were made.
Each has a name of its own, after which jsonrpc names buffers.")

(defvar-local view-model--view nil
  "The view that this buffer shows.")
(put 'view-model--view 'permanent-local t)

(defvar-local view-model-event-function #'ignore
  "Called in the buffer with each event, a property list with a `:kind'.")

(defvar-local view-model-reset-function #'ignore
  "Called in the buffer when all that the view model said so far is void.
What is valid follows as events.")

(defvar-local view-model-paint-function #'ignore
  "Called in the buffer after one or more events, to show what they changed.")

(defvar-local view-model-opened-function #'ignore
  "Called in the buffer when a session was opened for it.")

(defvar-local view-model-reload-function nil
  "Called in the buffer to bring it up to date, or nil just to paint it again.")

(defvar-local view-model-label-function #'ignore
  "Called in the buffer for what this is a view of, in words that stay.
Nil is the name of the view model.  An event that wasn't sent is
offered again where this is the same.")

(defvar-local view-model-wants-description nil
  "Whether the view model's contract is asked for when it is shown.
Then it is known while there is no connection.")

(defvar-local view-model-show-function #'ignore
  "Called in the buffer with that of a child, to show it where it should be.
A child that was pushed takes the place of this buffer where this
returns nil.")

(defvar-local view-model-is-fleeting nil
  "Whether events are worth nothing when they are late.
Then the newest of each kind waits for a connection, and none is
kept that the session doesn't take.")

(defvar-local view-model-reload-key "g"
  "The key that brings this buffer up to date, for the user to read.")

(defvar-local view-model--overlay nil
  "Dims the text where that may be old, and shows the events that wait.")

(defvar-local view-model-status-function #'ignore
  "Called in the buffer for the text of its header line; nil is nothing to say.")

(defvar-local view-model-keys nil
  "The keys that the header line names, a list of (KEY . WHAT IT DOES).
One that does nil isn't named.")

(defun view-model--all (views)
  "Return VIEWS and all their children."
  (cl-loop for view in views
           append (cons view (append (view-model--all (view-model--view-children view))
                                     (when-let ((presented (view-model--view-presented view)))
                                       (view-model--all (list presented)))))))

(defun view-model--root (view)
  "Return the root of VIEW: the view at the bottom of its stacks."
  (while (view-model--view-host view) (setq view (view-model--view-host view)))
  view)

(defun view-model--top (view)
  "Return the topmost of VIEW and all its children."
  (let ((last (or (car (last (view-model--view-children view))) view)))
    (if-let ((presented (view-model--view-presented last))) (view-model--top presented) last)))

;;; The connection

;; All requests are asynchronous: `jsonrpc-request' leaves the process filter with a `throw', and what came together
;; with the answer would wait there until the server says something else.

(defclass view-model--connection (jsonrpc-process-connection)
  ((last-id :initform nil :accessor view-model--last-id))
  "A connection that knows the id of the request that was sent last, which is what a request is cancelled by.")

(cl-defmethod jsonrpc-connection-send :before ((connection view-model--connection) &key id &allow-other-keys)
  "Remember the ID of what is sent on CONNECTION."
  (when id (setf (view-model--last-id connection) id)))

(defun view-model--watch-over (server)
  "Let SERVER have a watch over its new connection."
  (setf (view-model--server-watch server)
        (view-model-watch-make
         :ask (lambda ()
                (let ((connection (view-model--server-connection server)))
                  (ignore-errors
                    (jsonrpc-async-request connection 'ping nil :timeout nil :error-fn #'ignore
                                           :success-fn (lambda (result)
                                                         (when (eq connection (view-model--server-connection server))
                                                           (view-model--store-is
                                                            server (plist-get result :storeUnavailable))))))))
         :silent (lambda () (view-model--fell-silent server))
         :answers (lambda () (view-model--goes-on server)))))

(defun view-model--store-is (server stall)
  "Take note that the store of SERVER can't be used, for STALL, or can, for nil.
Then what was refused for that and is on its way waits for something else."
  (unless stall
    (dolist (view (view-model--all (view-model--server-roots server)))
      (when (and (view-model--view-refusal view) (view-model--view-session view)
                 (not (view-model--view-rests view)))
        (setf (view-model--view-refusal view) nil)
        (view-model--paint-soon view))))
  (view-model--stalled server stall))

(defun view-model--stalled (server stall)
  "Take note that the store of SERVER can't be used, for STALL, or can, for nil.
Where nothing is unanswered, it doesn't matter."
  (when (and stall (zerop (view-model-watch-unanswered (view-model--server-watch server)))) (setq stall nil))
  (let ((before (view-model--server-stall server)))
    (unless (equal stall before)
      (setf (view-model--server-stall server) stall)
      ;; A header line has no room for the reason, and the end of a long text isn't seen.
      (cl-flet ((words (of) (concat "View model: " (view-model--stall-words of))))
        (cond (stall (message "%s" (words stall)))
              ((equal (current-message) (words before)) (message nil))))
      (view-model--refresh server))))

(defun view-model--stall-words (stall)
  "Say what the server has said as STALL."
  (format "the server can't store anything now (%s); what was sent waits for it"
          (string-remove-prefix "the store can't be used: " stall)))

(defun view-model--goes-on (server)
  "Send SERVER, which has said nothing for a while, what has waited."
  (setf (view-model--server-is-silent server) nil)
  (dolist (view (view-model--all (view-model--server-roots server)))
    (when (view-model--view-session view)
      (dolist (sent (view-model--view-pending view))
        (unless (view-model--sent-session sent) (view-model--transmit view sent)))))
  (view-model--refresh server))

(defun view-model--changed-status (server process)
  "Take note where PROCESS of SERVER was stopped or continued.
Emacs is told of that as its parent, and writes nothing to it meanwhile."
  (when (eq process (view-model--server-process server))
    (pcase (process-status process)
      ('stop (view-model--fell-silent server))
      ('run (when (view-model--server-is-silent server) (view-model--goes-on server))))))

(defun view-model--fell-silent (server)
  "Take note that SERVER doesn't answer.
An address may be reached anew, which is tried.  A server that was
started here has all its sessions, and is waited for."
  (let ((process (view-model--server-process server)))
    (when (stringp (view-model--server-target server))
      (view-model--lost server "the server doesn't answer")
      (view-model--delete-process process))
    (setf (view-model--server-is-silent server) t)
    (view-model--refresh server)))

(defun view-model--connect (server)
  "Begin to connect SERVER."
  (when (timerp (view-model--server-timer server)) (cancel-timer (view-model--server-timer server)))
  (setf (view-model--server-timer server) nil
        (view-model--server-state server) 'connecting
        (view-model--server-problem server) nil
        (view-model--server-is-refused server) nil)
  (view-model--refresh server)
  (let ((target (view-model--server-target server))
        (name (format "view-model-%d" (cl-incf view-model--connections))))
    (condition-case problem
        (progn
          (setf (view-model--server-token server)
                (if (functionp view-model-token) (funcall view-model-token) view-model-token))
          (if (stringp target)
              (view-model--dial server name target)
            (view-model--begin server name (lambda () (view-model--start server name target)))))
      (error
       (ignore-errors (kill-buffer (format "*%s stderr*" name)))
       (view-model--lost server (view-model--words problem))))))

(defun view-model--words (problem)
  "Return the PROBLEM that was signalled in words.
Where Emacs couldn't connect, it lists all its arguments; those are left out."
  (let ((words (seq-take-while #'stringp (cdr problem))))
    (if (cdr words) (string-join words ": ") (error-message-string problem))))

(defun view-model--start (server name command)
  "Start COMMAND as the process of SERVER, for the connection NAME."
  (setf (view-model--server-process server)
        (make-process :name name :command command :connection-type 'pipe :noquery t :coding 'utf-8-emacs-unix
                      ;; By this name jsonrpc finds it.
                      :stderr (get-buffer-create (format "*%s stderr*" name)))))

(defun view-model--dial (server name address)
  "Connect SERVER to ADDRESS by a process NAME, and go on when that is open."
  (let ((opened (lambda (process) (view-model--begin server name process)))
        (process
         (apply #'make-network-process :name name :noquery t :coding 'utf-8-emacs-unix
                (if (string-match "\\`\\[?\\([^]/]+?\\)\\]?:\\([0-9]+\\)\\'" address)
                    (list :host (match-string 1 address) :service (string-to-number (match-string 2 address))
                          :nowait t :keepalive t)
                  (list :family 'local :service (expand-file-name address))))))
    (setf (view-model--server-process server) process)
    (if (not (eq (process-status process) 'connect))
        (funcall opened process)
      ;; Where nobody takes the connection and nobody refuses it, the system tries for minutes.
      (run-at-time 10 nil (lambda ()
                            (when (and (eq process (view-model--server-process server))
                                       (eq 'connect (process-status process)))
                              (set-process-sentinel process #'ignore)
                              (view-model--fell-silent server))))
      (set-process-sentinel process
                            (lambda (process change)
                              (when (eq process (view-model--server-process server))
                                (pcase (process-status process)
                                  ('open (funcall opened process))
                                  ('connect nil)
                                  ;; Deleting it would call this again.
                                  (_ (set-process-sentinel process #'ignore)
                                     (delete-process process)
                                     (view-model--lost server (format "nobody answers at %s (%s)" address
                                                                  (string-trim change)))))))))))

(defun view-model--begin (server name process)
  "Speak with SERVER by PROCESS, as connection NAME.
PROCESS may be a function that makes it."
  (let ((connection
         (apply #'make-instance 'view-model--connection
                :name name :process process
                :notification-dispatcher (lambda (connection method params)
                                           (with-demoted-errors "View model: %S"
                                             (view-model--notified server connection method params)))
                :request-dispatcher #'view-model--answer
                :on-shutdown (lambda (connection) (view-model--ended server connection))
                (if (slot-exists-p 'jsonrpc-connection '-events-buffer-config)
                    '(:events-buffer-config (:size 0 :format full))
                  '(:events-buffer-scrollback-size 0)))))
    (setf (view-model--server-connection server) connection)
    (view-model--watch-over server)
    (let ((watch (view-model--server-watch server)))
      (add-function :before (process-filter (view-model--server-process server))
                    (lambda (&rest _) (view-model-watch-heard watch))))
    ;; It would say "Server exited with status 256" in the echo area, which is nothing for a user.
    (add-function :around (process-sentinel (view-model--server-process server))
                  (lambda (sentinel process change)
                    (let ((said (current-message)))
                      (let ((inhibit-message t)) (funcall sentinel process change))
                      ;; What isn't shown empties the echo area all the same.
                      (when (and said (not (current-message)))
                        (let ((message-log-max nil)) (message "%s" said))))
                    (view-model--changed-status server process)))
    (view-model--request
     server 'initialize
     `( :protocolVersion "1.2" :processId ,(emacs-pid) :clientInfo (:name "Emacs" :version ,emacs-version)
        ,@(when-let ((token (view-model--server-token server))) (list :token token)))
     (lambda (result)
       (setf (view-model--server-state server) 'ready
             (view-model--server-is-silent server) nil
             (view-model--server-attempts server) 0)
       (view-model--learn server (plist-get result :capabilities))
       (when-let ((limit (plist-get (plist-get result :limits) :rows)))
         (setf (view-model--server-row-limit server) (max 1 limit)))
       (clrhash (view-model--server-schemas server))
       (mapc #'view-model--resume (view-model--server-roots server))
       (view-model--refresh server))
     (lambda (error)
       ;; Refused, by a wrong token for one.  That doesn't change by trying again.
       (unless (eql (plist-get error :code) -1)
         (setf (view-model--server-problem server) (plist-get error :message)
               (view-model--server-is-refused server) t)
         (run-at-time 0 nil #'view-model--delete-process (view-model--server-process server)))))))

(defun view-model--learn (server capabilities)
  "Take from CAPABILITIES which view models SERVER hosts.
An older server tells no types and no children."
  (let ((models (append (plist-get capabilities :viewModels) nil)))
    (cl-flet ((name (model) (plist-get model :name)))
      (setf (view-model--server-is-durable server) (eq t (plist-get capabilities :durable))
            (view-model--server-names server) (mapcar #'name models)
            (view-model--server-types server)
            (mapcar (lambda (model) (cons (name model) (plist-get model :type)))
                    (append models (plist-get capabilities :children) nil))))))

(defun view-model--delete-process (process)
  "End PROCESS if that is still to do."
  (when (process-live-p process) (delete-process process)))

(defun view-model--request (server method params on-result on-error)
  "Send SERVER the request METHOD with PARAMS, and return its id.
One of ON-RESULT and ON-ERROR is called with the answer.  The
code of an error is -1 where the connection was lost."
  (let ((connection (view-model--server-connection server))
        (watch (view-model--server-watch server))
        (nobody '(:code -1 :message "there is no connection"))
        (is-answered nil))
    (cl-flet ((settle (function answer)
                (unless is-answered
                  (setq is-answered t)
                  (when connection
                    (view-model-watch-end watch)
                    (when (eq connection (view-model--server-connection server))
                      (view-model--stalled server (view-model--server-stall server))))
                  (with-demoted-errors "View model: %S" (funcall function answer)))))
      (when connection (view-model-watch-begin watch))
      (condition-case problem
          (progn
            (jsonrpc-async-request connection method params
                                   :timeout nil
                                   :success-fn (lambda (result)
                                                 ;; Newer versions of jsonrpc may call this after the connection's end.
                                                 (if (eq connection (view-model--server-connection server))
                                                     (settle on-result result)
                                                   (settle on-error nobody)))
                                   :error-fn (lambda (error) (settle on-error error)))
            (view-model--last-id connection))
        (error
         (settle on-error (if (and connection (jsonrpc-running-p connection)
                                   (not (eq 'stop (process-status (view-model--server-process server)))))
                              (list :code -32603 :message (error-message-string problem))
                            nobody))
         nil)))))

(defun view-model--notify (server method params)
  "Send SERVER the notification METHOD with PARAMS, where there is a connection."
  (when-let ((connection (view-model--server-connection server)))
    (ignore-errors (jsonrpc-notify connection method params))))

(defun view-model--answer (_connection method _params)
  "Answer a request METHOD of the server."
  (unless (eq method 'ping)
    ;; With the code, since the default one of Emacs 28 lacks its sign.
    (jsonrpc-error :code -32601 :message (format "Emacs knows no request %s" method))))

(defun view-model--ended (server connection)
  "Tidy up after CONNECTION of SERVER, which has ended."
  (when (eq connection (view-model--server-connection server))
    (let ((process (view-model--server-process server))
          (inhibit-message nil))
      (view-model--lost server
                        (if (eq (process-type process) 'network)
                            "the connection was lost"
                          (view-model--last-words process (jsonrpc-stderr-buffer connection))))))
  ;; Not now: jsonrpc still uses its buffers.
  (run-at-time 0 nil #'view-model--kill-buffers connection))

(defun view-model--last-words (process log)
  "Say how PROCESS ended, with the last line of LOG, its standard error."
  (when-let ((reader (and (buffer-live-p log) (get-buffer-process log))))
    (accept-process-output reader 0.1))
  (let ((line (when (buffer-live-p log)
                (cl-find-if-not (lambda (line)
                                  ;; Emacs writes there how the pipe ended.
                                  (or (string-blank-p line) (string-prefix-p "Process view-model-" line)))
                                (nreverse (split-string (with-current-buffer log (buffer-string)) "\n"))))))
    (concat (format (if (eq (process-status process) 'signal)
                        "the server was ended by signal %d"
                      "the server ended with status %d")
                    (process-exit-status process))
            (when line (concat ": " (string-trim line))))))

(defun view-model--kill-buffers (connection)
  "Kill the buffers that jsonrpc made for CONNECTION."
  (let ((kill-buffer-query-functions nil))
    (dolist (buffer (list (format " *%s output*" (jsonrpc-name connection))
                          (jsonrpc-stderr-buffer connection)
                          (jsonrpc-events-buffer connection)))
      (when (and buffer (get-buffer buffer)) (kill-buffer buffer)))))

(defun view-model--lost (server why)
  "Take note that SERVER has no connection any more, and WHY.
Try again where that may help."
  (let ((is-refused (view-model--server-is-refused server))
        (is-closing (eq (view-model--server-state server) 'closing))
        (is-remote (stringp (view-model--server-target server))))
    (setf (view-model--server-connection server) nil
          (view-model--server-process server) nil)
    (when (view-model--server-watch server) (view-model-watch-stop (view-model--server-watch server)))
    (setf (view-model--server-is-silent server) nil)
    (view-model--stalled server nil)
    (clrhash (view-model--server-sessions server))
    (clrhash (view-model--server-tokens server))
    (dolist (view (view-model--all (view-model--server-roots server)))
      (view-model--leave view)
      (setf (view-model--view-progress view) nil
            (view-model--view-was-replaced view) nil))
    (unless is-refused (setf (view-model--server-problem server) why))
    (cond
     ((or is-closing (null (view-model--server-roots server)))
      (setf (view-model--server-state server) 'ended)
      (setq view-model--servers (delq server view-model--servers)))
     ((and is-remote (not is-refused))
      (setf (view-model--server-state server) 'waiting
            (view-model--server-timer server)
            (run-at-time (view-model--delay (cl-incf (view-model--server-attempts server))) nil
                         #'view-model--connect server)))
     (t
      (setf (view-model--server-state server) 'ended)
      ;; The sessions of a server that was started here are gone with it, but for those that its store may have.
      (unless is-remote
        (dolist (root (cl-remove-if #'view-model--view-kept (view-model--server-roots server)))
          (if (view-model--may-be-kept root)
              (view-model--close root (view-model--server-problem server) t)
            (view-model--orphan root))))
      (message "View model: %s" (view-model--server-problem server))))
    (view-model--refresh server)))

(defun view-model--delay (attempt)
  "Return the seconds to wait before ATTEMPT.
They are more each time, and not the same for all who lost one server."
  (* (min 30 (* 0.1 (expt 2 (min attempt 10)))) (+ 0.75 (/ (random 500) 1000.0))))

(defun view-model--disconnect (server)
  "End the connection of SERVER as one should, without waiting for it."
  (let ((process (view-model--server-process server))
        (is-ready (eq (view-model--server-state server) 'ready)))
    (when (timerp (view-model--server-timer server)) (cancel-timer (view-model--server-timer server)))
    (setq view-model--servers (delq server view-model--servers))
    (setf (view-model--server-state server) 'closing)
    (cond ((not is-ready) (view-model--delete-process process))
          (t (view-model--request server 'shutdown nil
                                  (lambda (_) (view-model--notify server 'exit nil))
                                  #'ignore)
             (run-at-time 2 nil #'view-model--delete-process process)))))

(defun view-model--disconnect-if-unused (server)
  "End the connection of SERVER where no view needs it."
  (unless (view-model--server-roots server) (view-model--disconnect server)))

(defun view-model--server-for (target)
  "Return the server TARGET names, which needn't be connected yet."
  (or (cl-find target view-model--servers :key #'view-model--server-target :test #'equal)
      (car (push (view-model--make-server :target target) view-model--servers))))

(defun view-model--wait (server what is-done)
  "Wait for IS-DONE to return non-nil while SERVER may still answer.
WHAT is waited for, in words."
  (let ((deadline (+ (float-time) view-model-timeout)))
    (while (not (funcall is-done))
      (when (memq (view-model--server-state server) '(ended waiting))
        (user-error "No %s: %s" what (view-model--server-problem server)))
      (when (> (float-time) deadline)
        (user-error "No %s: %s" what
                    (if-let ((stall (view-model--server-stall server)))
                        (view-model--stall-words stall)
                      "the server doesn't answer")))
      (accept-process-output nil 0.05))))

(defun view-model--ready-server ()
  "Return the server that the user set, connected."
  (let ((server (view-model--server-for (or view-model-address view-model-command)))
        (is-ready nil))
    (unless (memq (view-model--server-state server) '(connecting ready))
      (view-model--connect server))
    (unwind-protect
        (progn
          (view-model--wait server "connection" (lambda () (eq (view-model--server-state server) 'ready)))
          (setq is-ready t))
      (unless is-ready (view-model--disconnect-if-unused server)))
    server))

;;; Sessions

(defun view-model--request-for (view method params on-result on-error)
  "Send the request METHOD with PARAMS, which VIEW counts until it is answered.
ON-RESULT and ON-ERROR are as for `view-model--request'."
  (cl-flet ((counted (function)
              (lambda (answer)
                (cl-decf (view-model--view-unanswered view))
                (when (view-model--server-stall (view-model--view-server view)) (view-model--paint-soon view))
                (funcall function answer))))
    (cl-incf (view-model--view-unanswered view))
    (view-model--request (view-model--view-server view) method params (counted on-result) (counted on-error))))

(defun view-model--stall (view)
  "Return why what VIEW waits for isn't done, or nil.
It is as the server tells it, whose store can't be used."
  (unless (view-model--view-reason view)
    (or (view-model--view-refusal view)
        (and (or (view-model--view-pending view) (< 0 (view-model--view-unanswered view)))
             (view-model--server-stall (view-model--view-server view))))))

(defun view-model--open (view)
  "Open a new session for VIEW."
  (view-model--forget view)
  (view-model--request-open view))

(defun view-model--request-open (view)
  "Ask for a session for VIEW, the same again where the answer to that was lost."
  (view-model--choose-mode view)
  (view-model--fetch-description view)
  (view-model--request-for
   view 'session/open
   `( :viewModel ,(view-model--view-name view) :client ,(view-model--client-name view)
      :once ,(view-model--view-once view)
      ,@(when-let ((arguments (view-model--view-arguments view))) (list :arguments arguments)))
   (lambda (result)
     (setf (view-model--view-key view) (plist-get result :key)
           (view-model--view-epoch view) (plist-get result :epoch)
           (view-model--view-is-known view) t)
     (when (view-model--attached view (plist-get result :session))
       (view-model--send-again view 0)
       (let ((view-model--sends-by-itself t)) (view-model--in view 'view-model-opened-function))))
   (lambda (error) (view-model--refused view error))))

(defun view-model--attach (view)
  "Attach VIEW to its session.
It goes on where it was, if it was attached before."
  (view-model--fetch-description view)
  (cl-incf (view-model--view-attachings view))
  (view-model--request-for
   view 'session/attach
   `( :key ,(view-model--view-key view) :client ,(view-model--client-name view)
      ,@(when (view-model--view-is-known view)
          `( :since ,(view-model--view-seq view)
             ,@(when-let ((epoch (view-model--view-epoch view))) (list :epoch epoch)))))
   (lambda (result)
     (unless (or (view-model--view-buffer view) (view-model--view-is-removed view))
       (setf (view-model--view-name view) (plist-get result :viewModel))
       (view-model--make-buffer view)
       (view-model--fetch-description view))
     (when (view-model--attached view (plist-get result :session))
       (setf (view-model--view-is-known view) t
             (view-model--view-epoch view) (plist-get result :epoch))
       (when (plist-member result :snapshot)
         (setf (view-model--view-seq view) (plist-get result :seq))
         (view-model--lists-are view (plist-get result :snapshot))
         (view-model--in view 'view-model-reset-function)
         (seq-do (lambda (event) (view-model--in view 'view-model-event-function event))
                 (plist-get result :snapshot)))
       ;; A session that doesn't know this view can't tell what it has taken of it: to send that again might do it
       ;; twice.  What is fleeting does no harm twice.
       (unless (or (plist-member result :handled) (view-model--view-is-fleeting view))
         (view-model--give-back-sent view))
       (view-model--send-again view (or (plist-get result :handled) 0))
       (view-model--rebuild view (plist-get result :navigation))))
   (let ((attaching (view-model--view-attachings view)))
     (lambda (error)
       (if (eql (plist-get error :code) -32016)
           (view-model--attach-later view attaching error)
         (view-model--refused view error))))))

(defun view-model--attach-later (view attaching error)
  "Attach VIEW again after the time that is given in ERROR.
Its session is there, and can't be read just now.  Do nothing if
it was attached since it was for the time ATTACHING, or will be, as
it is when the connection was lost."
  (setf (view-model--view-refusal view) (plist-get error :message))
  (if (buffer-live-p (view-model--view-buffer view))
      (view-model--paint-soon view)
    (message "%s" (plist-get error :message)))
  (run-at-time
   (/ (or (plist-get (plist-get error :data) :retryAfterMs) 1000) 1000.0) nil
   (lambda ()
     (when (and (eq (view-model--server-state (view-model--view-server view)) 'ready)
                (eql attaching (view-model--view-attachings view))
                (not (view-model--view-is-removed view))
                (not (view-model--view-reason view)))
       (view-model--attach view)))))

(defun view-model--attached (view session)
  "Know VIEW as SESSION from now on.
Return nil, and let go of it, where nobody wants to see it any more."
  (let ((server (view-model--view-server view)))
    (cond ((view-model--view-is-removed view)
           (view-model--request server 'session/detach (list :session session) #'ignore #'ignore)
           nil)
          (t (setf (view-model--view-session view) session
                   (view-model--view-refusal view) nil
                   (view-model--view-rests view) nil
                   (view-model--view-reason view) nil
                   (view-model--view-kept view) nil)
             (setf (view-model--view-was-durable view) (view-model--server-is-durable server))
             (puthash session view (view-model--server-sessions server))
             (view-model--paint-soon view)
             t))))

(defun view-model--refused (view error)
  "Take note that VIEW was refused a session with ERROR."
  (let ((is-gone (eql (plist-get error :code) -32012))
        (words (plist-get error :message)))
    (cond ((eql (plist-get error :code) -1))
          ((and is-gone (view-model--view-was-durable view) (not (view-model--view-host view))
                (not (view-model--server-is-durable (view-model--view-server view))))
           (view-model--close view "the server has no store now" t))
          ;; The user has asked for it once more, and would only ask for another now.
          ((and is-gone (view-model--view-kept view) (not (view-model--view-host view)))
           (message "%s: its session is gone; another is opened" (view-model--view-name view))
           (view-model--open view))
          ((and is-gone (view-model--view-is-known view)) (view-model--close view "its session is gone"))
          ;; There is a key only where the request was to attach, and a session that is there.
          ((and (not is-gone) (view-model--view-key view) (not (view-model--view-is-fleeting view)))
           (view-model--close view "it can't go on now, and may be kept" words))
          (t (view-model--close view words)))))

(defun view-model--close (view reason &optional kept)
  "Take note that the session of VIEW has ended, and of the REASON.
Where the server may have it all the same, KEPT is what it says of
that, or t.  What VIEW showed stays.  Its children that wait to be
attached again won't be."
  (view-model--leave-lists view)
  (setf (view-model--view-reason view) reason
        (view-model--view-kept view) kept
        (view-model--view-session view) nil
        (view-model--view-progress view) nil)
  (view-model--paint-soon view)
  (unless (or (view-model--view-is-removed view) (view-model--view-host view))
    (message "%s: %s" (or (view-model--view-name view) "View model") reason))
  (view-model--give-back view)
  (dolist (child (cdr (view-model--all (list view))))
    (unless (or (view-model--view-session child) (view-model--view-reason child))
      (view-model--close child reason))))

(defun view-model--orphan (view)
  "Take note that the session of VIEW is gone, with all that stood on it.
What VIEW itself showed stays."
  (view-model--clear view)
  (view-model--give-back view)
  (setf (view-model--view-key view) nil
        (view-model--view-kept view) nil
        (view-model--view-refusal view) nil
        (view-model--view-once view) (view-model--random-name)
        (view-model--view-session view) nil
        (view-model--view-seq view) 0
        (view-model--view-epoch view) nil
        (view-model--view-is-known view) nil
        (view-model--view-number view) 0
        (view-model--view-pending view) nil))

(defun view-model--forget (view)
  "Forget all that VIEW knew of its session."
  (view-model--orphan view)
  (setf (view-model--view-reason view) nil
        (view-model--view-is-replaced view) nil
        (view-model--view-was-replaced view) nil)
  (view-model--lists-are view nil)
  (view-model--in view 'view-model-reset-function)
  (view-model--paint-soon view))

(defun view-model--resume (view)
  "Give VIEW, a root, a session on a new connection."
  (cond ((view-model--view-reason view))
        ((view-model--view-key view) (view-model--attach view))
        (t (view-model--request-open view))))

(defun view-model--resync (view)
  "Attach VIEW again on this connection, since something is missing."
  (when-let ((session (view-model--view-session view))
             (server (view-model--view-server view)))
    (remhash session (view-model--server-sessions server))
    (view-model--leave view)
    (view-model--request server 'session/detach (list :session session) #'ignore #'ignore)
    (view-model--attach view)))

(defun view-model--notified (server connection method params)
  "Take the notification METHOD with PARAMS that SERVER sent on CONNECTION."
  (when (eq connection (view-model--server-connection server))
    (let ((view (gethash (plist-get params :session) (view-model--server-sessions server))))
      (pcase method
        ('$/progress
         (when-let ((view (gethash (plist-get params :token) (view-model--server-tokens server))))
           (view-model--progressed view (plist-get params :token) (plist-get params :value))))
        ('window/logMessage
         (when (<= (or (plist-get params :type) 1) 2)
           (message "View model server: %s" (plist-get params :message))))
        ((guard (null view)))
        ('session/closed (view-model--closed view (plist-get params :reason)))
        ((or 'viewModel/event 'navigation/push 'navigation/present 'navigation/pop 'navigation/dismiss)
         (when (view-model--is-next view params)
           (pcase method
             ('viewModel/event
              (view-model--take-for-list view (plist-get params :event))
              (view-model--in view 'view-model-event-function (plist-get params :event)))
             ('navigation/push
              (view-model--add view 'pushed (plist-get params :viewModel) (plist-get params :key)))
             ('navigation/present
              (view-model--add view 'presented (plist-get params :viewModel) (plist-get params :key)))
             (_ (when-let ((child (view-model--child view (plist-get params :key))))
                  (view-model--remove child))))
           ;; Where more follows at once, that paints.
           (unless (eq t (plist-get params :more)) (view-model--paint-soon view))))))))

(defun view-model--is-next (view params)
  "Return whether PARAMS carry the next number of VIEW.
Attach again where one is missing."
  (let* ((seq (plist-get params :seq))
         (after (or (plist-get params :after) (1- seq)))
         (newest (view-model--view-seq view)))
    (cond ((<= seq newest) nil)
          ((= after newest) (setf (view-model--view-seq view) seq))
          (t (view-model--resync view) nil))))

(defun view-model--closed (view reason)
  "Take note that the session of VIEW was ended for REASON."
  (remhash (view-model--view-session view) (view-model--server-sessions (view-model--view-server view)))
  (setf (view-model--view-session view) nil)
  (pcase reason
    ((or "popped" "dismissed")
     (if (view-model--view-host view)
         (view-model--remove view)
       (view-model--close view "it was left elsewhere")))
    ;; Too much waited for this view; the session goes on.
    ("overflow" (view-model--leave view) (view-model--attach view))
    ("closed" (view-model--close view "it was closed elsewhere"))
    ;; By what this client sent on a connection that it gave up, and came late.  The second time it is another client.
    ((and "replaced" (guard (not (view-model--view-was-replaced view))))
     (setf (view-model--view-was-replaced view) t)
     (view-model--leave view)
     (view-model--attach view))
    ("replaced" (setf (view-model--view-is-replaced view) t)
     (view-model--close view "it is shown elsewhere"))
    ("failed" (if (view-model--may-be-kept view)
                  (view-model--close view "it can't go on now, and may be kept" t)
                (view-model--close view "it failed")))
    ("serverShutdown" (view-model--close view "the server was shut down" (view-model--may-be-kept view)))
    (_ (view-model--close view (format "it has ended (%s)" reason)))))

(defun view-model--may-be-kept (view)
  "Return whether the server may go on with the session of VIEW later.
It doesn't tell which ones its store has."
  (and (view-model--view-key view)
       (not (view-model--view-is-fleeting view))
       (view-model--server-is-durable (view-model--view-server view))))

(defun view-model--kept-of (view)
  "Return the view to be attached again for VIEW, which has ended, or nil.
It is the root, which brings what stands on it, where that has
ended, too."
  (when (view-model--view-reason view)
    (let ((root (view-model--root view)))
      (cond ((view-model--view-kept root) root)
            ((view-model--view-reason root) nil)
            ((view-model--view-kept view) view)))))

(defun view-model--try-again (view)
  "Attach VIEW again, whose session may be kept."
  (setf (view-model--view-reason view) nil)
  (view-model--paint-soon view)
  (view-model--attach view))

(defun view-model--progressed (view token value)
  "Show VALUE, the progress of the request with TOKEN, in VIEW."
  (if (equal (plist-get value :kind) "end")
      (view-model--forget-progress view token)
    (let ((title (or (plist-get value :title) (cadr (assoc token (view-model--view-progress view))) "Working")))
      (setf (alist-get token (view-model--view-progress view))
            (list title
                  (concat title
                          (when-let ((percentage (plist-get value :percentage))) (format " %d%%" percentage))
                          (when-let ((message (plist-get value :message))) (concat " " message)))))))
  (view-model--paint-soon view))

(defun view-model--forget-progress (view token)
  "Take note that VIEW hears no more of the request with TOKEN."
  (remhash token (view-model--server-tokens (view-model--view-server view)))
  (setf (alist-get token (view-model--view-progress view) nil t) nil))

;;; Lists

(defun view-model-list (name)
  "Return the list NAME of this buffer's view model, for `view-model-rows-show'.
A paint function says by that which rows it shows, and gets them
by `view-model-rows-row'.  It is called again when they are here."
  (view-model--list (view-model--of-buffer) name))

(defun view-model--list (view name)
  "Return the list NAME of VIEW, the same each time."
  (or (cl-find name (view-model--view-lists view) :key #'view-model-rows-name :test #'equal)
      (let* ((server (view-model--view-server view))
             (rows (view-model-rows--make
                    :name name
                    :send (lambda (&rest arguments) (apply #'view-model--request-rows view name arguments))
                    :cancel (lambda (id) (view-model--notify server '$/cancelRequest (list :id id)))
                    :limit (lambda () (view-model--server-row-limit server)))))
        (setf (view-model--view-lists view) (append (view-model--view-lists view) (list rows)))
        rows)))

(defun view-model--request-rows (view name first count on-result on-error)
  "Ask for COUNT rows of the list NAME of VIEW from FIRST on.
VIEW is painted after ON-RESULT or ON-ERROR."
  (cl-flet ((paint-after (function)
              (lambda (answer) (funcall function answer) (view-model--paint-soon view))))
    (if-let ((session (view-model--view-session view)))
        (view-model--request (view-model--view-server view) 'session/rows
                             (list :session session :list name :first first :count count)
                             (paint-after on-result) (paint-after on-error))
      (funcall on-error '(:code -1))
      nil)))

(defun view-model--take-for-list (view event)
  "Take EVENT where it is one of a list of VIEW.
Which are isn't known for sure until the contract came, and to
take another for one costs little."
  (when (view-model-rows-is-change event)
    (view-model-rows-changed (view-model--list view (plist-get event :kind)) event (view-model--view-seq view))))

(defun view-model--lists-are (view snapshot)
  "Take the events of SNAPSHOT for the lists of VIEW.
Those of which it says nothing are empty."
  (dolist (rows (view-model--view-lists view))
    (unless (seq-find (lambda (event) (equal (plist-get event :kind) (view-model-rows-name rows))) snapshot)
      (view-model-rows-changed rows '(:count 0) (view-model--view-seq view))))
  (seq-do (lambda (event) (view-model--take-for-list view event)) snapshot))

(defun view-model--leave-lists (view)
  "Take note that no rows come for VIEW any more."
  (mapc #'view-model-rows-left (view-model--view-lists view)))

(defun view-model--declare-lists (view description)
  "Take from DESCRIPTION, a contract, which lists VIEW has."
  (cl-loop for (key list) on (plist-get description :lists) by #'cddr
           for rows = (view-model--list view (substring (symbol-name key) 1))
           for id = (plist-get list :id)
           do (setf (view-model-rows-is-declared rows) t
                    (view-model-rows-id rows) (when id (intern (concat ":" id))))))

(defun view-model--declared-lists (view)
  "Return the lists of VIEW that its contract names."
  (seq-filter #'view-model-rows-is-declared (view-model--view-lists view)))

;;; Commands

(defun view-model-send (event)
  "Send EVENT, a property list with a `:kind', to this buffer's view model.
While the connection is lost it is kept, and sent when that is back."
  (let* ((view (view-model--of-buffer-that-sends))
         (sent (view-model--make-sent :number (cl-incf (view-model--view-number view)) :event event
                                      :is-nobodys view-model--sends-by-itself)))
    (view-model--drop-unsent (view-model--find-unsent view (plist-get event :kind)))
    (when (view-model--view-is-fleeting view) (view-model--drop-waiting view (plist-get event :kind)))
    (setf (view-model--view-pending view) (append (view-model--view-pending view) (list sent)))
    (setq view-model--senders
          (cons view (cl-remove-if-not #'view-model--view-pending (delq view view-model--senders))))
    (cond ((view-model--view-session view)
           ;; A server that was stopped takes nothing, and gets it when it goes on.
           (unless (or (view-model--is-silent view) (view-model--view-rests view)) (view-model--transmit view sent)))
          ((not (or (view-model--view-is-fleeting view)
                    (eq (view-model--server-state (view-model--view-server view)) 'ready)))
           (message "Not connected: it waits, and is sent when its session is back")))
    (view-model--paint-soon view)))

(defun view-model--drop-waiting (view kind)
  "Forget what VIEW has of KIND that waits to be sent for the first time."
  (unless (view-model--view-session view)
    ;; The numbers of those that stay are given anew when they are sent.
    (setf (view-model--view-pending view)
          (cl-remove-if (lambda (sent)
                          (and (not (view-model--sent-was-sent sent))
                               (equal kind (plist-get (view-model--sent-event sent) :kind))))
                        (view-model--view-pending view)))))

(defun view-model--problem (view)
  "Say why VIEW has ended and what helps, or return nil."
  (let ((server (view-model--view-server view)))
    (cond ((view-model--view-reason view)
           (concat (view-model--view-reason view)
                   (if (and (view-model--view-host view) (not (view-model--kept-of view)))
                       "; q leaves it"
                     (format (cond ((view-model--kept-of view) "; %s tries again")
                                   ((view-model--view-is-replaced view) "; %s shows it here again")
                                   (t "; %s opens it again"))
                             view-model-reload-key))))
          ((eq (view-model--server-state server) 'ended)
           (format "%s; %s starts again" (view-model--server-problem server) view-model-reload-key)))))

(defun view-model--send-answer (ask)
  "Send the event that comes of ASK, which asks the user.
Meanwhile the view model may have gone, and another may be in its place."
  (let* ((view (view-model--of-buffer-that-sends))
         (buffer (current-buffer))
         (event (funcall ask)))
    (when (or (not (buffer-live-p buffer)) (view-model--problem view))
      (view-model--keep-unsent view event nil)
      (user-error "It isn't sent: the view model has gone meanwhile; M-x view-model-unsent shows it"))
    (with-current-buffer buffer (view-model-send event))))

(defun view-model--of-buffer ()
  "Return the view of this buffer."
  (or view-model--view (user-error "This buffer shows no view model")))

(defun view-model--of-buffer-that-sends ()
  "Return the view of this buffer; signal an error where its session has ended."
  (let ((view (view-model--of-buffer)))
    (when-let ((problem (view-model--problem view))) (user-error "Can't send: %s" problem))
    view))

(defun view-model--forget-requests (view)
  "Ignore the answers to the requests that carry events of VIEW."
  (dolist (sent (view-model--view-pending view)) (setf (view-model--sent-session sent) nil)))

(defun view-model--leave (view)
  "Take note that VIEW is attached to nothing, and nothing is answered any more."
  (view-model--forget-requests view)
  (view-model--leave-lists view)
  (setf (view-model--view-session view) nil
        (view-model--view-refusal view) nil))

(defun view-model--transmit (view sent)
  "Send SENT for VIEW."
  (let* ((server (view-model--view-server view))
         (token (cl-incf (view-model--server-next-token server)))
         (session (view-model--view-session view))
         (settle (lambda (error goes-on)
                   (unless goes-on (view-model--forget-progress view token))
                   (view-model--settle view sent error (eql session (view-model--sent-session sent))))))
    (puthash token view (view-model--server-tokens server))
    (setf (view-model--sent-session sent) session
          (view-model--sent-was-sent sent) t)
    (setf (view-model--sent-id sent)
          (view-model--request server 'view/event
                               `( :session ,session
                                  :event ,(view-model--sent-event sent)
                                  :number ,(view-model--sent-number sent)
                                  :workDoneToken ,token)
                               ;; Work that the view model goes on with has its progress until its end.
                               (lambda (result) (funcall settle nil (eq t (plist-get result :progress))))
                               (lambda (error) (funcall settle error nil))))))

(defun view-model--settle (view sent error is-newest)
  "Take the answer to SENT of VIEW, which is ERROR or nil.
Unless IS-NEWEST, it was sent again since, or will be."
  (let ((code (plist-get error :code)))
    (unless (or (view-model--view-rests view) (eql code -32016)) (setf (view-model--view-refusal view) nil))
    (cond
     ;; Not answered, but lost: it may have to be sent again.
     ((eql code -1)
      (setf (view-model--sent-session sent) nil)
      (when (or (view-model--view-reason view) (view-model--view-is-removed view)) (view-model--give-back view)))
     ((eql code -32012) (when is-newest (view-model--came-too-late view sent)))
     ((and (eql code -32016) (not (view-model--sent-was-taken sent)) (not (view-model--view-is-fleeting view)))
      (when is-newest (view-model--send-later view sent error)))
     ;; One before it wasn't taken.
     ((equal (plist-get (plist-get error :data) :path) "/number")
      (if (view-model--view-rests view) (view-model--was-not-taken sent) (view-model--resync view)))
     ((and (memql code '(-32015 -32016)) (view-model--sent-was-taken sent))
      (when is-newest (view-model--ask-later view sent error)))
     (t
      (when (and error (view-model--is-news view sent error))
        (message "%s" (if (eql code -32800) "Cancelled" (plist-get error :message))))
      (setf (view-model--view-pending view) (delq sent (view-model--view-pending view)))
      (when (and error (not (view-model--view-is-removed view)))
        ;; LimitExceeded, StoreUnavailable: it wasn't taken, and its number is free for the next.
        (when (memql code '(-32015 -32016))
          (view-model--keep-unsent view (view-model--sent-event sent) nil)
          (if (= (view-model--sent-number sent) (view-model--view-number view))
              (cl-decf (view-model--view-number view))
            (view-model--resync view))))
      (view-model--paint-soon view)))))

(defun view-model--is-news (view sent error)
  "Return whether the user is to hear that SENT of VIEW came to ERROR."
  (not (or (view-model--view-is-removed view)
           ;; It made room for a newer one of its kind.
           (plist-get (plist-get error :data) :superseded)
           (and (view-model--view-is-fleeting view)
                (or (eql (plist-get error :code) -32800)
                    ;; The user has done something else since.
                    (cdr (memq sent (view-model--view-pending view))))))))

(defun view-model--ask-later (view sent error)
  "Ask again what came of SENT of VIEW after the time that is given in ERROR.
The server has taken it before, and no room now for the question."
  (setf (view-model--sent-session sent) nil)
  (if (or (view-model--view-reason view) (view-model--view-is-removed view))
      (view-model--give-back view)
    (run-at-time
     (/ (or (plist-get (plist-get error :data) :retryAfterMs) 1000) 1000.0) nil
     (lambda (attaching)
       (when (and (view-model--view-session view)
                  (not (view-model--is-silent view))
                  (eql attaching (view-model--view-attachings view))
                  (memq sent (view-model--view-pending view))
                  (not (view-model--sent-session sent)))
         (view-model--transmit view sent)))
     (view-model--view-attachings view))))

(defun view-model--was-not-taken (sent)
  "Take note that the server has refused SENT, which is to be sent again."
  (setf (view-model--sent-session sent) nil
        (view-model--sent-id sent) nil
        (view-model--sent-was-sent sent) nil))

(defun view-model--send-later (view sent error)
  "Send SENT of VIEW again, by its number, after the time that is given in ERROR.
The server's store can't be used.  What comes after it waits as well."
  (view-model--was-not-taken sent)
  (cond ((or (view-model--view-reason view) (view-model--view-is-removed view)) (view-model--give-back view))
        ((not (view-model--view-rests view))
         (setf (view-model--view-rests view) t
               (view-model--view-refusal view) (plist-get error :message))
         (view-model--paint-soon view)
         (run-at-time
          (/ (or (plist-get (plist-get error :data) :retryAfterMs) 1000) 1000.0) nil
          (lambda (attaching)
            (when (eql attaching (view-model--view-attachings view))
              (setf (view-model--view-rests view) nil)
              (when (and (view-model--view-session view) (not (view-model--is-silent view)))
                (dolist (one (view-model--view-pending view))
                  (unless (view-model--sent-session one) (view-model--transmit view one))))))
          (view-model--view-attachings view)))))

(defun view-model--send-again (view handled)
  "Send what VIEW has pending: what was taken, up to HANDLED, by its number.
Then it is answered, and not done again.  The rest is numbered from there."
  (setf (view-model--view-number view) handled)
  (dolist (sent (view-model--view-pending view))
    ;; What was never sent wasn't taken: another view of this name may have used its number.
    (unless (setf (view-model--sent-was-taken sent)
                  (and (view-model--sent-was-sent sent) (<= (view-model--sent-number sent) handled)))
      (setf (view-model--sent-number sent) (cl-incf (view-model--view-number view))))
    (view-model--transmit view sent)))

;;; Events that weren't sent

(defun view-model--waiting (view)
  "Return the events of VIEW that wait.
That is for a connection, a session, a server that doesn't answer,
or for its store."
  (unless (or (and (view-model--view-session view)
                   (not (or (view-model--is-silent view) (view-model--stall view))))
              (view-model--view-reason view) (view-model--view-is-fleeting view))
    (view-model--view-pending view)))

(defun view-model--is-silent (view)
  "Return whether the server of VIEW doesn't answer."
  (view-model--server-is-silent (view-model--view-server view)))

(defun view-model--label-of (view)
  "Return the words that VIEW is known by, after its session too."
  (or (view-model--view-label view)
      (and (view-model--view-host view) (view-model--in view 'view-model-label-function))
      (view-model--view-name view)
      "view model"))

(defun view-model--give-back (view)
  "Give the user back what VIEW didn't send, since its session has ended.
Events on their way will be answered."
  (let ((idle (cl-remove-if #'view-model--sent-session (view-model--view-pending view))))
    (setf (view-model--view-pending view)
          (cl-remove-if-not #'view-model--sent-session (view-model--view-pending view)))
    (dolist (sent idle)
      (view-model--keep-unsent view (view-model--sent-event sent) (view-model--sent-was-sent sent)))))

(defun view-model--give-back-sent (view)
  "Give the user back what VIEW has sent and no answer came to."
  (let ((sent (cl-remove-if-not #'view-model--sent-was-sent (view-model--view-pending view))))
    (setf (view-model--view-pending view)
          (cl-remove-if #'view-model--sent-was-sent (view-model--view-pending view)))
    (dolist (one sent) (view-model--keep-unsent view (view-model--sent-event one) t))))

(defun view-model--came-too-late (view sent)
  "Take note that SENT of VIEW reached the server after its session's end."
  (let ((event (view-model--sent-event sent)))
    (setf (view-model--view-pending view) (delq sent (view-model--view-pending view)))
    (cond ((or (view-model--view-is-left (view-model--root view)) (view-model--view-is-fleeting view)))
          ;; A key was pressed twice, say.  There is no text to be kept.
          ((not (or (view-model--sent-was-taken sent) (cddr event)))
           (message "Too late for %s" (plist-get event :kind)))
          ;; The answer is the same where the view model was busy with it, so it may have been done.
          (t (view-model--keep-unsent view event t)))))

(defun view-model--keep-unsent (view event was-sent)
  "Keep EVENT of VIEW for the user to see, and to send again.
WAS-SENT is whether it was, and no answer came."
  (unless (view-model--view-is-fleeting view)
    (let* ((root (or (view-model--view-name (view-model--root view)) "view model"))
           (label (view-model--label-of view)))
      (setq view-model--unsent
            (append view-model--unsent
                    (list (view-model--make-unsent :root root :label label :event event :was-sent was-sent))))
      (view-model--unsent-changed)
      (message "%s; M-x view-model-unsent shows what" (view-model--unsent-count root)))))

(defun view-model--unsent-count (root)
  "Return in words how many events of ROOT, a name, weren't sent; nil for none."
  (let* ((all (cl-remove root view-model--unsent :key #'view-model--unsent-root :test-not #'equal))
         (sent (cl-count-if #'view-model--unsent-was-sent all))
         (words (append (view-model--counted (- (length all) sent) "wasn't sent" "weren't sent")
                        (view-model--counted sent "wasn't answered" "weren't answered"))))
    (when words (string-join words ", "))))

(defun view-model--counted (count one many)
  "Return a list of COUNT events in words: ONE or MANY; nil for none."
  (pcase count
    (0 nil)
    (1 (list (concat "1 event " one)))
    (_ (list (format "%d events %s" count many)))))

(defun view-model--find-unsent (view kind)
  "Return the oldest event of KIND that VIEW, or one like it, didn't send."
  (let ((label (view-model--label-of view)))
    (cl-find-if (lambda (unsent)
                  (and (equal label (view-model--unsent-label unsent))
                       (equal kind (plist-get (view-model--unsent-event unsent) :kind))))
                view-model--unsent)))

(defun view-model--drop-unsent (unsent)
  "Forget UNSENT, which may be nil."
  (when unsent
    (setq view-model--unsent (delq unsent view-model--unsent))
    (view-model--unsent-changed)))

(defun view-model--unsent-changed ()
  "Show in all buffers what wasn't sent."
  (mapc #'view-model--refresh view-model--servers)
  (when-let ((buffer (get-buffer "*view model: not sent*")))
    (with-current-buffer buffer (view-model-unsent--paint))))

(defvar view-model-unsent-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "d") #'view-model-unsent-forget)
    map)
  "Keys in the list of what wasn't sent.")

(define-derived-mode view-model-unsent-mode special-mode "Not Sent"
  "List the events that no session took, to be copied, or to be forgotten."
  (setq-local revert-buffer-function (lambda (&rest _) (view-model-unsent--paint))))

(defun view-model-unsent ()
  "Show the events that weren't sent, or weren't answered."
  (interactive)
  (pop-to-buffer (get-buffer-create "*view model: not sent*"))
  (unless (derived-mode-p 'view-model-unsent-mode) (view-model-unsent-mode))
  (view-model-unsent--paint)
  (goto-char (point-min)))

(defun view-model-unsent--paint ()
  "List the events, each text as it was written."
  (view-model-replace-text
   (lambda ()
     (unless view-model--unsent (insert "Nothing is left to be sent.\n"))
     (dolist (unsent view-model--unsent)
       (let ((start (point)))
         (insert (propertize (view-model--unsent-label unsent) 'face 'view-model-title) ": "
                 (view-model--unsent-title unsent) "\n")
         (cl-loop for (key value) on (view-model--unsent-event unsent) by #'cddr
                  unless (eq key :kind)
                  do (insert "  " (substring (symbol-name key) 1) ": "
                             (if (stringp value) value (json-encode value)) "\n"))
         (insert "\n")
         (put-text-property start (point) 'view-model-unsent unsent)))
     (when view-model--unsent (view-model--insert-keys '("d" . "forget this one") '("q" . "leave"))))))

(defun view-model--unsent-title (unsent)
  "Return the kind of UNSENT, and whether it was sent."
  (concat (plist-get (view-model--unsent-event unsent) :kind)
          (when (view-model--unsent-was-sent unsent) "  (sent, and not answered)")))

(defun view-model-unsent-forget ()
  "Forget the event at point."
  (interactive nil view-model-unsent-mode)
  (view-model--drop-unsent (or (get-text-property (point) 'view-model-unsent) (user-error "There is no event here"))))

(defconst view-model--longest-wait 1
  "Seconds for which leaving waits for answers.")

(defun view-model--unanswered (&optional root)
  "Return what the user did and no answer has come to, or not yet.
It is an alist of events by their views; of ROOT and all that
stands on it, where that is given."
  (cl-loop for view in view-model--senders
           unless (or (view-model--view-is-fleeting view) (and root (not (eq root (view-model--root view)))))
           append (cl-loop for sent in (view-model--view-pending view)
                           unless (view-model--sent-is-nobodys sent) collect (cons view sent))))

(defun view-model--on-their-way (&optional root)
  "Return those of `view-model--unanswered' of ROOT that nobody knows to wait."
  (cl-remove-if (lambda (pair) (memq (cdr pair) (view-model--waiting (car pair)))) (view-model--unanswered root)))

(defun view-model--await (&optional root)
  "Wait for the answers to what is on its way of ROOT.
Return what isn't answered then; that isn't waited for again."
  (with-timeout (view-model--longest-wait)
    (while (cl-some (lambda (pair) (not (view-model--sent-is-late (cdr pair)))) (view-model--on-their-way root))
      (accept-process-output nil view-model--longest-wait)))
  (let ((late (view-model--on-their-way root)))
    (dolist (pair late) (setf (view-model--sent-is-late (cdr pair)) t))
    late))

(defun view-model--whole-text (label event)
  "Return all of EVENT of the view that LABEL names, in one line."
  (concat label ": " (plist-get event :kind)
          (cl-loop for (key value) on event by #'cddr
                   unless (eq key :kind)
                   concat (format "  %s: %s" (substring (symbol-name key) 1) (json-encode value)))))

(defun view-model--late-question (late)
  "Return the words that LATE, an alist, isn't answered yet.
A question has no room for a long text."
  (concat (truncate-string-to-width
           (mapconcat (lambda (pair)
                        (view-model--whole-text (view-model--label-of (car pair)) (view-model--sent-event (cdr pair))))
                      late ", ")
           400 nil nil t)
          (if (cdr late) " aren't answered yet" " isn't answered yet")))

(defun view-model--may-exit ()
  "Return whether Emacs may end, though not everything was sent, or is answered."
  (let ((late (view-model--await)))
    (and (or (null late) (yes-or-no-p (concat (view-model--late-question late) "; exit anyway? ")))
         (view-model--may-exit-unsent))))

(defun view-model--may-exit-unsent ()
  "Return whether Emacs may end, though not everything was sent."
  (let ((count (+ (length view-model--unsent)
                  (cl-loop for server in view-model--servers
                           sum (cl-loop for view in (view-model--all (view-model--server-roots server))
                                        sum (length (view-model--waiting view)))))))
    (or (zerop count)
        (yes-or-no-p (concat (car (view-model--counted count "for a view model wasn't sent"
                                                       "for view models weren't sent"))
                             "; exit anyway? ")))))

(add-hook 'kill-emacs-query-functions #'view-model--may-exit)

(defun view-model-interrupt ()
  "Cancel the events of this buffer that its view model hasn't handled."
  (interactive nil view-model-mode)
  (let* ((view (view-model--of-buffer))
         (sent (seq-filter #'view-model--sent-id (view-model--view-pending view))))
    (unless sent (user-error "Nothing to cancel"))
    (unless (view-model--view-session view) (user-error "Can't cancel: not connected"))
    (dolist (one sent)
      (setf (view-model--sent-is-nobodys one) t)
      (view-model--notify (view-model--view-server view) '$/cancelRequest (list :id (view-model--sent-id one))))))

(defun view-model-back ()
  "Go back to the view below; in the first one, bury its buffer.
The view model may refuse, and its reason is shown in the echo area."
  (interactive nil view-model-mode)
  (let ((view (view-model--of-buffer)))
    (cond ((null (view-model--view-host view)) (quit-window))
          ((view-model--view-reason view) (view-model--remove view))
          (t (view-model--go-back view)))))

(defun view-model--go-back (view)
  "Ask the server to take VIEW off."
  (unless (view-model--view-session view) (user-error "Can't go back: not connected"))
  (view-model--request-for
   view 'navigation/back (list :session (view-model--view-session view))
   #'ignore
   (lambda (error)
     (message "Can't go back: %s" (or (plist-get (plist-get error :data) :refused) (plist-get error :message))))))

(defun view-model-reload (&rest _)
  "Bring this buffer up to date.
Where the connection is lost, try to make it again; where the
session or the server has ended, start another.  A session that may
be kept is asked for once more before."
  (interactive nil view-model-mode)
  (let* ((view (view-model--of-buffer))
         (root (view-model--root view))
         (server (view-model--view-server view)))
    (cond ((memq (view-model--server-state server) '(ended waiting))
           (unless (memq server view-model--servers) (push server view-model--servers))
           ;; A session that has ended is opened again.
           (dolist (root (view-model--server-roots server))
             (cond ((view-model--view-kept root) (setf (view-model--view-reason root) nil))
                   ((view-model--view-reason root) (view-model--forget root))))
           (view-model--connect server))
          ((view-model--kept-of view)
           (when (eq (view-model--server-state server) 'ready) (view-model--try-again (view-model--kept-of view))))
          ((view-model--view-reason root)
           (when (eq (view-model--server-state server) 'ready)
             (if (view-model--view-is-replaced root) (view-model--show-here-again root) (view-model--open root))))
          ((view-model--hidden view) (view-model--show (view-model--hidden view) view))
          (view-model-reload-function (funcall view-model-reload-function))
          (t (view-model--paint view)))))

(defun view-model--show-here-again (view)
  "Attach VIEW again, whose place another has taken."
  (let ((key (view-model--view-key view)))
    (view-model--forget view)
    (setf (view-model--view-key view) key)
    (view-model--attach view)))

(defun view-model-copy-key ()
  "Copy the key of this buffer's session, with which other clients attach to it."
  (interactive nil view-model-mode)
  (kill-new (or (view-model--view-key (view-model--of-buffer)) (user-error "There is no session")))
  (message "Copied the key; with it, anyone can attach to this session"))

;;; Views on screen

(defun view-model--child (view key)
  "Return the child of VIEW with KEY."
  (cl-find key (cons (view-model--view-presented view) (view-model--view-children view))
           :key (lambda (child) (and child (view-model--view-key child))) :test #'equal))

(defun view-model--add (host kind name key)
  "Show the view model NAME on HOST and attach to its KEY.
It is pushed or presented, according to KIND."
  (let ((child (view-model--make-view :server (view-model--view-server host) :host host :kind kind :name name :key key))
        (covered (if (eq kind 'pushed) (view-model--top host) host)))
    (if (eq kind 'pushed)
        (setf (view-model--view-children host) (append (view-model--view-children host) (list child)))
      (setf (view-model--view-presented host) child))
    (view-model--make-buffer child)
    (view-model--show child covered)
    (view-model--attach child)))

(defun view-model--list-buffers (view)
  "Return the buffers that show lists of VIEW."
  (seq-filter #'buffer-live-p (mapcar #'view-model-rows-buffer (view-model--view-lists view))))

(defun view-model--buffers (view)
  "Return all buffers that show VIEW."
  (cons (view-model--view-buffer view) (view-model--list-buffers view)))

(defun view-model--windows (view)
  "Return all windows with VIEW."
  (seq-mapcat (lambda (buffer) (get-buffer-window-list buffer nil t)) (view-model--buffers view)))

(defun view-model--window (view)
  "Return a window with VIEW.
That is the selected one too where it shows something of the same root."
  (or (seq-some (lambda (buffer) (get-buffer-window buffer t)) (view-model--buffers view))
      (and (memq (window-buffer) (seq-mapcat #'view-model--buffers (view-model--all (list (view-model--root view)))))
           (selected-window))))

(defun view-model--show (child covered)
  "Show CHILD in the windows of COVERED, and nowhere where it has none."
  (let ((buffer (view-model--view-buffer child))
        (window (view-model--window covered)))
    (cond ((view-model--in (view-model--view-host child) 'view-model-show-function buffer))
          ((null window) (message "%s opened %s" (view-model--view-name covered) (buffer-name buffer)))
          ((eq (view-model--view-kind child) 'pushed)
           (setf (view-model--view-front covered)
                 (car (memq (window-buffer window) (view-model--list-buffers covered))))
           (dolist (window (cl-union (list window) (view-model--windows covered)))
             (set-window-buffer window buffer)))
          (t (let* ((is-selected (eq window (selected-window)))
                    (shown (with-selected-window window
                             (display-buffer buffer '((display-buffer-below-selected display-buffer-at-bottom)
                                                      (window-height . 8) (dedicated . t))))))
               (when (and shown is-selected) (select-window shown)))))))

(defun view-model--shows-children (view)
  "Return whether children of VIEW have a place of their own."
  (when-let ((buffer (view-model--view-buffer view)) ((buffer-live-p buffer)))
    (not (eq (buffer-local-value 'view-model-show-function buffer) #'ignore))))

(defun view-model--hidden (view)
  "Return what is presented over VIEW, where the user closed its window."
  (when-let ((presented (view-model--view-presented view)))
    (unless (get-buffer-window (view-model--view-buffer presented) t) presented)))

(defun view-model--rebuild (view navigation)
  "Make the children of VIEW those of NAVIGATION.
That is a member of the server's answer."
  (let* ((stack (append (plist-get navigation :stack) nil))
         (presented (plist-get navigation :presented))
         (keys (cons (plist-get presented :key) (mapcar (lambda (child) (plist-get child :key)) stack))))
    (dolist (child (reverse (view-model--view-children view)))
      (unless (member (view-model--view-key child) keys) (view-model--remove child)))
    (when-let ((child (view-model--view-presented view)))
      (unless (member (view-model--view-key child) keys) (view-model--remove child)))
    (cl-flet ((restore (kind child)
                (if-let ((known (view-model--child view (plist-get child :key))))
                    (unless (view-model--view-session known) (view-model--attach known))
                  (view-model--add view kind (plist-get child :viewModel) (plist-get child :key)))))
      (dolist (child stack) (restore 'pushed child))
      (when presented (restore 'presented presented)))))

(defun view-model--remove (view)
  "Take VIEW off the screen, with all its children."
  (unless (view-model--view-is-removed view)
    (view-model--unlink view)
    (view-model--hide view)))

(defun view-model--clear (view)
  "Take off the children of VIEW, topmost first."
  (mapc #'view-model--remove (reverse (view-model--view-children view)))
  (when-let ((presented (view-model--view-presented view))) (view-model--remove presented)))

(defun view-model--unlink (view)
  "Let VIEW be part of nothing any more, and nothing stand on it."
  (let ((host (view-model--view-host view))
        (server (view-model--view-server view)))
    (when (eq (view-model--view-kind view) 'pushed)
      (mapc #'view-model--remove (reverse (cdr (memq view (view-model--view-children host))))))
    (view-model--clear view)
    (setf (view-model--view-label view) (view-model--label-of view)
          (view-model--view-is-removed view) t
          view-model--name-numbers (delq (view-model--view-name-number view) view-model--name-numbers))
    (view-model--leave-lists view)
    (view-model--give-back view)
    (remhash (view-model--view-session view) (view-model--server-sessions server))
    (setf (view-model--server-roots server) (delq view (view-model--server-roots server)))
    (when host
      (setf (view-model--view-children host) (delq view (view-model--view-children host)))
      (when (eq view (view-model--view-presented host)) (setf (view-model--view-presented host) nil)))))

(defun view-model--hide (view)
  "Show what VIEW stood on in its place, and kill its buffer."
  (when-let ((buffer (view-model--view-buffer view)) ((buffer-live-p buffer)))
    (let* ((host (view-model--view-host view))
           (top (and host (view-model--top host)))
           ;; Killing a buffer brings back what the window showed before.
           (below (when (and top (not (view-model--shows-children host)))
                    (if (buffer-live-p (view-model--view-front top))
                        (view-model--view-front top)
                      (view-model--view-buffer top)))))
      (dolist (window (view-model--windows view))
        (let ((is-selected (eq window (selected-window)))
              (return (and top (seq-some #'get-buffer-window (seq-filter #'buffer-live-p (view-model--buffers top))))))
          (cond ((and (eq (view-model--view-kind view) 'presented) (window-deletable-p window))
                 (delete-window window)
                 (when (and is-selected return) (select-window return)))
                ((buffer-live-p below)
                 (set-window-dedicated-p window nil)
                 (set-window-buffer window below)))))
      (when (and top (eq (view-model--view-kind view) 'pushed)) (setf (view-model--view-front top) nil))
      (kill-buffer buffer))))

(defun view-model--may-kill ()
  "Return whether this buffer may be killed now.
Where its view model has to be asked, the answer decides; and
where something isn't answered yet, the user."
  (let ((view view-model--view))
    (cond ((or (null view) (view-model--view-is-removed view)))
          ((null (view-model--view-host view)) (view-model--may-leave view))
          ((null (view-model--view-session view)))
          (t (view-model--go-back view) nil))))

(defun view-model--may-leave (root)
  "Return whether ROOT may be left, though not everything is answered."
  (let ((late (view-model--await root)))
    (or (null late)
        (if noninteractive
            (progn (message "%s" (view-model--late-question late)) t)
          (yes-or-no-p (concat (view-model--late-question late) "; kill the buffer anyway? "))))))

(defun view-model--kill-lists ()
  "Kill the buffers of the lists of this buffer's view model."
  (when view-model--view (mapc #'kill-buffer (view-model--list-buffers view-model--view))))

(defun view-model--killed ()
  "Leave the session that this buffer showed."
  (when-let ((view view-model--view) ((not (view-model--view-is-removed view))))
    (let* ((server (view-model--view-server view))
           (sessions (delq nil (mapcar #'view-model--view-session (view-model--all (list view))))))
      (setf (view-model--view-is-left view) t)
      ;; Before it is said what wasn't sent, which matters more.
      (view-model--say-left view)
      (view-model--unlink view)
      (dolist (session sessions)
        (view-model--request server 'session/detach (list :session session) #'ignore #'ignore))
      (view-model--disconnect-if-unused server))))

(defun view-model--say-left (view)
  "Say how to find the session of VIEW again, which the user has left.
A server that was started here ends with its last view, and keeps
what its store has."
  (let* ((server (view-model--view-server view))
         (name (view-model--view-name view))
         (key (view-model--view-key view))
         (kept (view-model--view-kept view))
         (goes-on (and (not kept)
                       (or (stringp (view-model--server-target server))
                           (remq view (view-model--server-roots server))))))
    (when (and key (or kept (not (view-model--view-reason view))) (not (view-model--view-host view))
               (not (view-model--view-is-fleeting view))
               (or kept goes-on (view-model--server-is-durable server)))
      (setq view-model--left (cons (cons key name) (seq-take (assoc-delete-all key view-model--left) 99)))
      (message "%s %s: M-x view-model-attach RET %s" name
               (if goes-on "goes on" "is kept if durable") key))))

(defun view-model--kept-lines ()
  "Return lines that say how to find again what is kept in a store."
  (cl-loop for server in view-model--servers
           when (view-model--server-is-durable server)
           append (cl-loop for view in (view-model--server-roots server)
                           unless (or (null (view-model--view-key view))
                                      (and (view-model--view-reason view) (not (view-model--view-kept view)))
                                      (view-model--view-is-fleeting view))
                           collect (format "%s is kept if durable: M-x view-model-attach RET %s"
                                           (view-model--view-name view) (view-model--view-key view)))))

(defun view-model--undone-lines ()
  "Return lines that say what wasn't sent, or wasn't answered."
  (cl-flet ((line (label event was-sent)
              (concat (if was-sent
                          "This wasn't answered, and may not have been done: "
                        "This wasn't sent, and isn't done: ")
                      (view-model--whole-text label event))))
    (append
     (cl-loop for (view . sent) in (view-model--unanswered)
              collect (line (view-model--label-of view) (view-model--sent-event sent)
                            (view-model--sent-was-sent sent)))
     (cl-loop for unsent in view-model--unsent
              collect (line (view-model--unsent-label unsent) (view-model--unsent-event unsent)
                            (view-model--unsent-was-sent unsent))))))

(defun view-model--say-last ()
  "Say on the terminal what is kept, and what isn't done.
It is still read there when Emacs has ended."
  (view-model--await)
  (when-let ((lines (append (view-model--kept-lines) (view-model--undone-lines)))
             (text (mapconcat (lambda (line) (concat line "\r\n")) lines "")))
    (if (and (not noninteractive) (eq t (framep (selected-frame))))
        ;; To the screen of before, and back to Emacs's, which it leaves again itself.
        (send-string-to-terminal (concat "\e[?1049l" text "\e[?1049h"))
      (princ text #'external-debugging-output))))

(add-hook 'kill-emacs-hook #'view-model--say-last)

(defun view-model--ask (server method params)
  "Return the result of the request METHOD with PARAMS; wait for it.
An error of SERVER is one of this command."
  (let (answer)
    (view-model--request server method params
                         (lambda (result) (setq answer (list result)))
                         (lambda (error) (setq answer (list nil (plist-get error :message)))))
    (view-model--wait server "answer" (lambda () answer))
    (when (cadr answer) (user-error "%s" (cadr answer)))
    (car answer)))

(defun view-model-end ()
  "End the session of this buffer for good, with all that stands on it.
Ask first where that takes something from others, or from a store."
  (interactive nil view-model-mode)
  (let* ((view (view-model--root (view-model--of-buffer)))
         (server (view-model--view-server view))
         (session (view-model--view-session view)))
    (when (view-model--view-kept view)
      (user-error "It can't be ended now, and may be kept; killing the buffer leaves it"))
    (unless (view-model--view-reason view)
      (unless session (user-error "It can't be ended now: not connected"))
      (let* ((sessions (plist-get (view-model--ask server 'session/list nil) :sessions))
             (entry (seq-find (lambda (entry) (eql session (plist-get entry :session))) sessions)))
        (unless (view-model--may-end view (1- (or (plist-get entry :views) 1)))
          (user-error "It goes on"))
        (view-model--ask server 'session/close (list :session session))))
    (setf (view-model--view-reason view) "it was ended")
    (when (buffer-live-p (view-model--view-buffer view)) (kill-buffer (view-model--view-buffer view)))))

(defun view-model--may-end (view others)
  "Return whether the session of VIEW may end.
The user is asked where OTHERS, a number of views, or a store
lose something by it."
  (let ((is-durable (view-model--server-is-durable (view-model--view-server view))))
    (or (and (zerop others) (not is-durable))
        (yes-or-no-p (concat (format "End %s for good? " (view-model--view-name view))
                             (pcase others
                               (0 "")
                               (1 "Another view of it is open. ")
                               (_ (format "%d other views of it are open. " others)))
                             (when is-durable "What the server has stored of it is removed. "))))))

;;; Buffers

(defvar view-model-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "q") #'view-model-back)
    (define-key map (kbd "w") #'view-model-copy-key)
    (define-key map (kbd "C-c C-k") #'view-model-interrupt)
    (define-key map (kbd "C-c C-u") #'view-model-unsent)
    (define-key map (kbd "C-c C-e") #'view-model-end)
    map)
  "Keys in every buffer that shows a view model.")

(define-derived-mode view-model-mode special-mode "View Model"
  "Show a view model.
A mode for one view model derives from this one and sets
`view-model-event-function' and `view-model-paint-function', and
where it needs them `view-model-reset-function',
`view-model-opened-function', `view-model-reload-function',
`view-model-status-function' and `view-model-keys'."
  (buffer-disable-undo)
  (setq truncate-lines t
        view-model--overlay (make-overlay (point-min) (point-max) nil nil t)
        header-line-format '(:eval (view-model--header)))
  (setq-local revert-buffer-function #'view-model-reload)
  (add-hook 'kill-buffer-query-functions #'view-model--may-kill nil t)
  (add-hook 'kill-buffer-hook #'view-model--kill-lists nil t)
  (add-hook 'kill-buffer-hook #'view-model--killed nil t))

(defun view-model--make-buffer (view)
  "Make the buffer of VIEW, and return it."
  (with-current-buffer (generate-new-buffer (format "*%s*" (view-model--view-name view)))
    (setf (view-model--view-buffer view) (current-buffer))
    (view-model--enter view (view-model--mode view))
    (current-buffer)))

(defun view-model--mode (view)
  "Return the mode for the view model of VIEW."
  (let* ((name (view-model--view-name view))
         (type (cdr (assoc name (view-model--server-types (view-model--view-server view))))))
    (cdr (or (and type (assoc type view-model-modes))
             (assoc name view-model-modes)
             (and type (assoc type view-model--own-modes))
             '(nil . view-model-generic-mode)))))

(defun view-model--enter (view mode)
  "Show VIEW with MODE in the current buffer.
Where that fails, it is shown by its events, and its header line says why."
  (setf (view-model--view-failure view) nil)
  (condition-case-unless-debug error
      (funcall mode)
    (error (setf (view-model--view-failure view) (error-message-string error))
           (view-model-generic-mode)))
  (setf (view-model--view-is-fleeting view) view-model-is-fleeting)
  (setq view-model--view view)
  (view-model--in view 'view-model-reset-function)
  (view-model--paint view))

(defun view-model--choose-mode (view)
  "Show VIEW with another mode where its server is another one now."
  (when-let ((buffer (view-model--view-buffer view)) ((buffer-live-p buffer)))
    (with-current-buffer buffer
      (let ((mode (view-model--mode view)))
        (unless (or (eq mode major-mode) (view-model--view-failure view))
          (remove-overlays (point-min) (point-max))
          (view-model--enter view mode))))))

(defun view-model--header ()
  "Return the header line of this buffer."
  (let* ((view view-model--view)
         (server (view-model--view-server view))
         (problem (or (view-model--problem view)
                      (when-let ((failure (view-model--view-failure view))) (concat "the view fails: " failure))
                      (when (view-model--server-is-silent server)
                        (if (stringp (view-model--server-target server))
                            (format "the server doesn't answer, reconnecting...; %s tries now" view-model-reload-key)
                          "the server doesn't answer; waiting for it"))
                      (when (view-model--stall view) "the server can't store anything now")
                      (when (eq (view-model--server-state server) 'waiting)
                        (format "connection lost, reconnecting...; %s tries now" view-model-reload-key))))
         (unsent (append (view-model--counted (length (view-model--waiting view))
                                              "waits to be sent" "wait to be sent")
                         (when-let ((count (view-model--unsent-count
                                            (view-model--view-name (view-model--root view)))))
                           (list (concat count " (C-c C-u)")))))
         (status (or problem
                     (cond ((eq (view-model--server-state server) 'connecting) "connecting...")
                           ((null (view-model--view-session view)) "opening...")
                           ((view-model--hidden view)
                            (format "%s is open over this; g shows it"
                                    (view-model--view-name (view-model--hidden view)))))
                     (funcall view-model-status-function)
                     (when-let ((newest (car (view-model--view-progress view)))) (concat (nth 2 newest) "..."))
                     (when (view-model--view-pending view) "working..."))))
    (string-replace
     "%" "%%"
     (concat " " (propertize (view-model--view-name view) 'face 'view-model-title)
             (mapconcat (lambda (words) (concat "  " (propertize words 'face 'view-model-waiting))) unsent "")
             (when status (concat "  " (if problem (propertize status 'face 'view-model-problem) status)))
             (unless problem
               (mapconcat (lambda (key) (concat "  " (propertize (car key) 'face 'view-model-key) " " (cdr key)))
                          (seq-filter #'cdr
                                      (append view-model-keys
                                              (unless (assoc "q" view-model-keys)
                                                `(("q" . ,(if (view-model--view-host view) "back" "bury"))))))
                          ""))))))

(defun view-model--in (view function &rest arguments)
  "Call the value of FUNCTION in the buffer of VIEW, with ARGUMENTS.
An error in it, which may be the user's own, is shown with VIEW."
  (when (buffer-live-p (view-model--view-buffer view))
    (with-current-buffer (view-model--view-buffer view)
      (condition-case-unless-debug error
          (apply (symbol-value function) arguments)
        (error (setf (view-model--view-failure view) (error-message-string error))
               nil)))))

(defun view-model--paint-soon (view)
  "Paint VIEW when all that came together was taken."
  (unless (view-model--view-paint-timer view)
    (setf (view-model--view-paint-timer view) (run-at-time 0 nil #'view-model--paint view))))

(defun view-model--paint (view)
  "Paint VIEW now."
  (when (timerp (view-model--view-paint-timer view)) (cancel-timer (view-model--view-paint-timer view)))
  (setf (view-model--view-paint-timer view) nil)
  (when (buffer-live-p (view-model--view-buffer view))
    (with-current-buffer (view-model--view-buffer view)
      (view-model--in view 'view-model-paint-function)
      (view-model--decorate view)
      (set-buffer-modified-p nil)
      (when (eq (view-model--view-kind view) 'presented)
        (dolist (window (get-buffer-window-list nil nil t))
          (fit-window-to-buffer window (/ (frame-height) 2) 5)))
      (force-mode-line-update)))
  (dolist (buffer (view-model--list-buffers view))
    (with-current-buffer buffer
      (with-demoted-errors "View model: %S" (funcall view-model-paint-function))
      (view-model--decorate view)
      (set-buffer-modified-p nil)
      (force-mode-line-update))))

(defun view-model--decorate (view)
  "Dim the text of VIEW where that may be old, and show the events that wait."
  (move-overlay view-model--overlay (point-min) (point-max))
  (overlay-put view-model--overlay 'face (when (view-model--is-stale view) 'view-model-stale))
  (overlay-put view-model--overlay 'after-string
               (let ((waiting (view-model--waiting view))
                     (stall (view-model--stall view))
                     (kept (view-model--kept-of view)))
                 (when (or waiting stall kept)
                   (concat (unless (or (= (point-min) (point-max)) (eq (char-before (point-max)) ?\n)) "\n")
                           "\n"
                           (when stall (view-model--filled (view-model--stall-words stall)))
                           (when kept (view-model--filled (view-model--kept-words kept)))
                           (when waiting (propertize "Waits to be sent\n" 'face 'view-model-title))
                           (mapconcat #'view-model--waiting-line waiting ""))))))

(defun view-model--kept-words (view)
  "Say what may be left of the session of VIEW, and how to come back to it."
  (concat (when (stringp (view-model--view-kept view)) (concat (view-model--view-kept view) ".\n\n"))
          "The server may have kept its session, with all that is in it, and go on with it later.  "
          (format "%s tries again.  w copies its key, with which M-x view-model-attach comes back to it at any time.  "
                  view-model-reload-key)
          "M-x view-model opens another session."))

(defun view-model--filled (text)
  "Return TEXT as lines that fit into the window of the current buffer."
  (let ((window (get-buffer-window nil t)))
    (with-temp-buffer
      (setq fill-column (if window (1- (window-width window)) 78))
      (insert (propertize text 'face 'view-model-problem) "\n")
      (fill-region (point-min) (point-max))
      (buffer-string))))

(defun view-model--is-stale (view)
  "Return whether the text of VIEW may be old."
  (or (view-model--is-silent view)
      (and (null (view-model--view-session view))
           (or (view-model--view-is-known view)
               (view-model--view-reason view)
               (eq (view-model--server-state (view-model--view-server view)) 'ended)))))

(defun view-model--waiting-line (sent)
  "Return a line for SENT, an event that waits."
  (let ((event (view-model--sent-event sent)))
    (concat "  " (propertize (concat (plist-get event :kind) "  " (view-model--event-text event))
                             'face 'view-model-waiting)
            (when (view-model--sent-was-sent sent) "  (sent, and not answered)")
            "\n")))

(defun view-model--refresh (server)
  "Paint what is shown of SERVER's view models."
  (mapc #'view-model--paint-soon (view-model--all (view-model--server-roots server))))

(defun view-model-replace-text (insert)
  "Empty the buffer and call INSERT to fill it again.
Point stays on its line, in each window."
  (let* ((inhibit-read-only t)
         (line (line-number-at-pos))
         (column (current-column))
         (windows (mapcar (lambda (window)
                            (list window (line-number-at-pos (window-point window))
                                  (line-number-at-pos (window-start window))))
                          (get-buffer-window-list nil nil t))))
    (erase-buffer)
    (funcall insert)
    (cl-flet ((start (line) (goto-char (point-min)) (forward-line (1- line)) (point)))
      (pcase-dolist (`(,window ,line ,top) windows)
        (set-window-start window (start top) t)
        (set-window-point window (start line)))
      (start line)
      (move-to-column column))))

(defun view-model--insert-keys (&rest keys)
  "Insert a line that names KEYS, each (KEY . WHAT IT DOES)."
  (insert (mapconcat (lambda (key) (concat (propertize (car key) 'face 'view-model-key) " " (cdr key))) keys "   ")
          "\n"))

;;; Asking the user

(defvar view-model-history nil
  "The view models that were opened.")

(defun view-model--member (object name)
  "Return the member of OBJECT, a property list, that has NAME, a string."
  (plist-get object (intern (concat ":" name))))

(defun view-model--schema (schema definitions)
  "Return SCHEMA without references to DEFINITIONS and without null."
  (let (reference choices)
    (while (setq reference (plist-get schema :$ref))
      (setq schema (append (cl-loop for (key value) on schema by #'cddr unless (eq key :$ref) append (list key value))
                           (view-model--member definitions (string-remove-prefix "#/$defs/" reference)))))
    (setq choices (cl-remove-if (lambda (choice) (equal (plist-get choice :type) "null"))
                                (append (plist-get schema :anyOf) nil)))
    (if (= (length choices) 1)
        (append (list :description (plist-get schema :description))
                (view-model--schema (car choices) definitions))
      schema)))

(defun view-model--kinds (schema definitions)
  "Return an alist of the kinds of events in SCHEMA and their own schemas.
References are to DEFINITIONS."
  (let ((schema (view-model--schema schema definitions)))
    (if-let ((choices (or (plist-get schema :oneOf) (plist-get schema :anyOf))))
        (seq-mapcat (lambda (choice) (view-model--kinds choice definitions)) choices)
      (when-let ((kind (view-model--member (plist-get schema :properties) "kind")))
        (mapcar (lambda (name) (cons name schema))
                (if-let ((name (plist-get kind :const))) (list name) (append (plist-get kind :enum) nil)))))))

(defun view-model--read-choice (prompt choices default)
  "Ask with PROMPT for one of CHOICES, an alist of names and schemas.
DEFAULT is taken where nothing is given."
  (let ((completion-extra-properties
         (list :annotation-function
               (lambda (name)
                 (when-let ((text (plist-get (cdr (assoc name choices)) :description))) (concat "  " text))))))
    (completing-read prompt choices nil t nil nil default)))

(defun view-model--read-event (schema definitions &optional offered)
  "Ask for an event as in SCHEMA, with references to DEFINITIONS.
OFFERED, a function of a kind, returns an event whose members are
offered, or nil."
  (if-let ((kinds (view-model--kinds schema definitions)))
      (let* ((kind (view-model--read-choice (format-prompt "Send" (caar kinds)) kinds (caar kinds)))
             (members (view-model--read-members (cdr (assoc kind kinds)) definitions t
                                                (and offered (funcall offered kind)))))
        (append (list :kind kind) members))
    (car (view-model--read-json "Event, as JSON: " t))))

(defun view-model--read-members (schema definitions with-optional &optional offered)
  "Ask for an object's members as in SCHEMA, and return a property list.
References are to DEFINITIONS.  `kind' isn't asked for, and those
that may be left out only WITH-OPTIONAL.  OFFERED, a property
list, has what the answers are until the user changes them."
  (let* ((schema (view-model--schema schema definitions))
         (required (append (plist-get schema :required) nil)))
    (cl-loop for (key member) on (plist-get schema :properties) by #'cddr
             for name = (substring (symbol-name key) 1)
             for is-required = (member name required)
             unless (equal name "kind")
             when (and (or is-required with-optional)
                       (view-model--read-value name member definitions is-required
                                               (when (plist-member offered key) (list (plist-get offered key)))))
             append (cons key it))))

(defun view-model--read-value (name schema definitions is-required &optional offered)
  "Ask for the value NAME as in SCHEMA, and return a list of it.
References are to DEFINITIONS.  Return nil for a value that is
left out, as it may be unless IS-REQUIRED.  OFFERED is a list of
what the answer is until the user changes it, or nil."
  (let* ((schema (view-model--schema schema definitions))
         (types (remove "null" (append (ensure-list (plist-get schema :type)) nil)))
         (types (if (vectorp (car types)) (remove "null" (append (car types) nil)) types))
         (type (and (= (length types) 1) (car types)))
         (hint (or (plist-get schema :description) type))
         (text (cond ((null offered) nil)
                     ((stringp (car offered)) (car offered))
                     (t (json-encode (car offered)))))
         (prompt (concat name (when hint (format " (%s)" (string-remove-suffix "." hint)))
                         (unless is-required ", empty to leave it out") ": ")))
    (cond
     ((plist-member schema :const) (list (plist-get schema :const)))
     ((plist-get schema :enum)
      (let ((choices (seq-map (lambda (choice) (cons (view-model--value-text choice) choice))
                              (plist-get schema :enum))))
        (view-model--chosen (completing-read prompt choices nil t text) is-required
                            (lambda (text) (cdr (assoc text choices))))))
     ((equal type "boolean")
      (view-model--chosen (completing-read prompt '("true" "false") nil t text) is-required
                          (lambda (text) (if (equal text "true") t :json-false))))
     ((equal type "string")
      (let ((text (read-string prompt text)))
        (when (or is-required (not (string-empty-p text))) (list text))))
     ((view-model--kinds schema definitions) (list (view-model--read-event schema definitions)))
     ((and (equal type "object") (plist-get schema :properties))
      (when (or is-required (y-or-n-p (format "Give %s? " name)))
        (list (or (view-model--read-members schema definitions t (car offered)) (make-hash-table)))))
     (t (view-model--read-json prompt is-required
                               (pcase type ("integer" #'integerp) ("number" #'numberp) ("array" #'vectorp))
                               (and offered (json-encode (car offered))))))))

(defun view-model--chosen (text is-required convert)
  "Return a list of TEXT, after CONVERT; nil where it is empty.
It mustn't be when it IS-REQUIRED."
  (if (string-empty-p text)
      (when is-required (user-error "It can't be left out"))
    (list (funcall convert text))))

(defun view-model--read-json (prompt is-required &optional is-valid offered)
  "Ask with PROMPT until there is JSON that passes IS-VALID.
Return a list of it, or nil where nothing was given, unless it
IS-REQUIRED.  OFFERED is the first answer until the user changes
it."
  (cl-loop
   with problem = ""
   for text = (string-trim (read-string (concat problem prompt) (and (equal problem "") offered)))
   when (and (string-empty-p text) (not is-required)) return nil
   do (condition-case nil
          (let ((value (json-parse-string text :object-type 'plist :null-object nil :false-object :json-false)))
            (when (or (null is-valid) (funcall is-valid value)) (cl-return (list value))))
        (json-error))
   (setq problem "[Not that] ")))

(defun view-model--describe (server name)
  "Return the schemas of the view model NAME, from SERVER."
  (or (gethash name (view-model--server-schemas server))
      (puthash name (view-model--ask server 'viewModel/describe (list :viewModel name))
               (view-model--server-schemas server))))

(defun view-model--fetch-description (view)
  "Ask for the schemas of VIEW where its mode wants them."
  (when-let ((buffer (view-model--view-buffer view)) ((buffer-live-p buffer))
             ((buffer-local-value 'view-model-wants-description buffer)))
    (let ((server (view-model--view-server view))
          (name (view-model--view-name view)))
      (view-model--request server 'viewModel/describe (list :viewModel name)
                           (lambda (result)
                             (puthash name result (view-model--server-schemas server))
                             (view-model--declare-lists view result)
                             (view-model--paint-soon view))
                           #'ignore))))

(defun view-model--read-arguments (server name with-optional)
  "Ask for the arguments of the view model NAME of SERVER.
Those that may be left out are asked for only WITH-OPTIONAL."
  (let ((description (view-model--describe server name)))
    (view-model--read-members (plist-get description :arguments) (plist-get description :$defs) with-optional)))

;;;###autoload
(defun view-model (name &optional arguments)
  "Open the view model NAME of the server in a buffer.
ARGUMENTS is a property list.  Interactively ask which; with a
prefix argument, ask for all its arguments too, and otherwise for
those that it needs."
  (interactive
   (let ((server (view-model--ready-server)) chosen)
     (unwind-protect
         (let ((name (completing-read "View model: " (view-model--server-names server) nil t nil
                                      'view-model-history)))
           (setq chosen (list name (view-model--read-arguments server name current-prefix-arg))))
       (unless chosen (view-model--disconnect-if-unused server)))))
  (let* ((server (view-model--ready-server))
         (view (view-model--make-view :server server :name name :arguments arguments)))
    (setf (view-model--server-roots server) (append (view-model--server-roots server) (list view)))
    (pop-to-buffer-same-window (view-model--make-buffer view))
    (view-model--open view)))

;;;###autoload
(defun view-model-attach (key)
  "Show the session that has KEY.
Another client opened it, or it was left here."
  (interactive
   (list (let ((completion-extra-properties
                (list :annotation-function
                      (lambda (key) (concat "  " (cdr (assoc key view-model--left)))))))
           (completing-read "Key of the session: " (mapcar #'car view-model--left)))))
  (let* ((server (view-model--ready-server))
         (view (view-model--make-view :server server :key key :is-shared t))
         (is-done nil))
    (setf (view-model--server-roots server) (append (view-model--server-roots server) (list view)))
    (unwind-protect
        (progn
          (view-model--attach view)
          (view-model--wait server "session"
                            (lambda () (or (view-model--view-buffer view) (view-model--view-reason view))))
          (when (view-model--view-reason view)
            ;; There is no buffer to say below its text what the server says.
            (user-error "%s" (or (view-model--view-kept view) (view-model--view-reason view))))
          (setq is-done t))
      (unless is-done
        (view-model--unlink view)
        (view-model--disconnect-if-unused server)))
    (pop-to-buffer-same-window (view-model--view-buffer (view-model--top view)))))

;;; Any view model

(defvar-local view-model-generic--newest nil
  "The newest event of each kind, in the order in which the kinds came first.")

(defvar-local view-model-generic--last nil
  "The last events, newest first, each (NUMBER . EVENT).")

(defvar view-model-generic-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "s") #'view-model-send-event)
    (define-key map (kbd "RET") #'view-model-generic-show)
    (define-key map (kbd "l") #'view-model-show-list)
    map)
  "Keys where a view model is shown by its events.")

(define-derived-mode view-model-generic-mode view-model-mode "View Model"
  "Show any view model: its newest events, its lists, and the last events."
  (setq view-model-event-function #'view-model-generic--take
        view-model-reset-function #'view-model-generic--reset
        view-model-paint-function #'view-model-generic--paint
        view-model-wants-description t
        view-model-keys '(("s" . "send") ("RET" . "show in full"))))

(defun view-model-generic--reset ()
  "Forget all events."
  (setq view-model-generic--newest nil
        view-model-generic--last nil))

(defun view-model-generic--take (event)
  "Remember EVENT."
  (let* ((kind (plist-get event :kind))
         (known (assoc kind view-model-generic--newest)))
    (if known
        (setcdr known event)
      (setq view-model-generic--newest (append view-model-generic--newest (list (cons kind event)))))
    (push (cons (view-model--view-seq view-model--view) event) view-model-generic--last)
    (when-let ((rest (nthcdr (max 0 (1- view-model-generic-events)) view-model-generic--last))) (setcdr rest nil))))

(defun view-model-generic--paint ()
  "Show all events, and how long the lists are."
  (let* ((lists (view-model--declared-lists view-model--view))
         (names (mapcar #'view-model-rows-name lists))
         (newest (seq-remove (lambda (entry) (member (car entry) names)) view-model-generic--newest))
         (width (apply #'max 0 (mapcar #'string-width (append names (mapcar #'car newest))))))
    (view-model-replace-text
     (lambda ()
       (cl-flet ((line (label event)
                   (insert (propertize (concat label "  " (view-model--event-text event) "\n")
                                       'view-model-event event))))
         (insert (propertize "Newest of each kind\n" 'face 'view-model-title))
         (unless newest (insert (propertize "  Nothing came yet.\n" 'face 'shadow)))
         (pcase-dolist (`(,kind . ,event) newest)
           (line (concat "  " (string-pad kind width)) event))
         (when lists
           (insert (propertize "\nLists\n" 'face 'view-model-title))
           (dolist (rows lists)
             (let ((name (view-model-rows-name rows)) (count (view-model-rows-count rows)))
               (insert (propertize (format "  %s  %d %s\n" (string-pad name width) count (if (= count 1) "row" "rows"))
                                   'view-model-list name)))))
         (when view-model-generic--last
           (insert (propertize "\nLast events\n" 'face 'view-model-title))
           (pcase-dolist (`(,number . ,event) view-model-generic--last)
             (line (format "  %4d %s" number (plist-get event :kind)) event))))))))

(defun view-model--event-text (event)
  "Return the members of EVENT but its kind, in one line that isn't too long."
  (let ((members (cl-loop for (key value) on event by #'cddr unless (eq key :kind) collect (cons key value))))
    (truncate-string-to-width
     (if (and (= (length members) 1) (eq (caar members) :value))
         (view-model--value-text (cdar members))
       (mapconcat (lambda (member)
                    (concat (substring (symbol-name (car member)) 1) ": " (view-model--value-text (cdr member))))
                  members ", "))
     1000 nil nil t)))

(defun view-model--value-text (value)
  "Return VALUE, or the beginning of a long one, in one line."
  (cond ((stringp value) (string-replace "\n" "\\n" value))
        ;; That's more than a line has room for, and a list may have thousands.
        ((vectorp value) (json-encode (seq-take value 50)))
        (t (json-encode value))))

(defun view-model-generic-show ()
  "Show what is on this line: a list, or an event in full."
  (interactive nil view-model-generic-mode)
  (if-let ((name (get-text-property (line-beginning-position) 'view-model-list)))
      (view-model-show-list name)
    (view-model-show-event)))

(defun view-model--show-in-full (value)
  "Show VALUE as JSON in a window of its own."
  (with-help-window "*view model event*"
    (with-current-buffer standard-output
      (insert (json-encode value))
      (json-pretty-print-buffer))))

(defun view-model-show-event ()
  "Show the event on this line in full."
  (interactive nil view-model-generic-mode)
  (view-model--show-in-full (or (get-text-property (line-beginning-position) 'view-model-event)
                                (user-error "There is no event on this line"))))

(defun view-model-send-event ()
  "Ask for an event that the view model of this buffer takes, and send it."
  (interactive nil view-model-mode)
  (view-model--send-answer
   (lambda ()
     (let* ((view view-model--view)
            (description (view-model--describe (view-model--view-server view) (view-model--view-name view))))
       (view-model--read-event (plist-get description :viewEvent) (plist-get description :$defs)
                               (lambda (kind)
                                 (when-let ((unsent (view-model--find-unsent view kind)))
                                   (view-model--unsent-event unsent))))))))

(provide 'view-model)

;;; view-model.el ends here
