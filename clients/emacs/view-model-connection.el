;;; view-model-connection.el --- The connection to a server, and its coming back  -*- lexical-binding: t; -*-

;;; Commentary:

;; A server is an address or a program, and how things stand with it.
;; A connection is made by jsonrpc over a process or a socket, and made
;; again when it is lost: at once, and later less and less often.
;;
;; Nothing here knows what a view is.  Who has views listens, and is
;; told what happens, by `view-model--tell'.

;;; Code:

(require 'cl-lib)
(require 'jsonrpc)
(require 'subr-x)
(require 'view-model-options)
(require 'view-model-watch)

;;; Servers

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
  scopes                            ; "person" or "everyone", an alist by the names of those that have one
  (row-limit 1000)                  ; how many rows it gives at once
  (schemas (make-hash-table :test #'equal))
  (attempts 0) timer
  (listener #'ignore))              ; told what happens, see `view-model--tell'

(defvar view-model--servers nil
  "The servers that are in use.")

(defun view-model--tell (server what &rest arguments)
  "Tell who listens to SERVER WHAT has happened, a symbol, with ARGUMENTS.
It is `ready' when there is a connection, `lost' when that is, and
`ended' when a server that was started here is gone; `answers' when it
does so again after a silence; `stores' when its store can be used;
`notified' with a method and its parameters; `gap' with a view to be
attached again, since the session lacks events of it; and `changed'
when what is shown of the server may be old."
  (apply (view-model--server-listener server) server what arguments))

(defun view-model--server-for (target listener)
  "Return the server TARGET names, which needn't be connected yet.
LISTENER is told what happens to it."
  (or (cl-find target view-model--servers :key #'view-model--server-target :test #'equal)
      (car (push (view-model--make-server :target target :listener listener) view-model--servers))))

(defun view-model--learn (server capabilities)
  "Take from CAPABILITIES which view models SERVER hosts.
An older server tells no types and no children."
  (let ((models (append (plist-get capabilities :viewModels) nil)))
    (cl-flet ((name (model) (plist-get model :name)))
      (setf (view-model--server-is-durable server) (eq t (plist-get capabilities :durable))
            (view-model--server-names server) (mapcar #'name models)
            (view-model--server-types server)
            (mapcar (lambda (model) (cons (name model) (plist-get model :type)))
                    (append models (plist-get capabilities :children) nil))
            (view-model--server-scopes server)
            (cl-loop for model in models
                     for scope = (plist-get model :scope)
                     when scope collect (cons (name model) scope))))))

;;; Transports

(defvar view-model--connections 0
  "How many connections were made.
Each has a name of its own, after which jsonrpc names buffers.")

;; All requests are asynchronous: `jsonrpc-request' leaves the process filter with a `throw', and what came together
;; with the answer would wait there until the server says something else.
(defclass view-model--connection (jsonrpc-process-connection)
  ((last-id :initform nil :accessor view-model--last-id))
  "A connection that knows the id of the request that was sent last, which is what a request is cancelled by.")

(cl-defmethod jsonrpc-connection-send :before ((connection view-model--connection) &key id &allow-other-keys)
  "Remember the ID of what is sent on CONNECTION."
  (when id (setf (view-model--last-id connection) id)))

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
                                             (when (eq connection (view-model--server-connection server))
                                               (view-model--tell server 'notified method params))))
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
       (view-model--tell server 'ready)
       (view-model--tell server 'changed))
     (lambda (error)
       ;; Refused, by a wrong token for one.  That doesn't change by trying again.
       (unless (eql (plist-get error :code) -1)
         (setf (view-model--server-problem server) (plist-get error :message)
               (view-model--server-is-refused server) t)
         (run-at-time 0 nil #'view-model--delete-process (view-model--server-process server)))))))

(defun view-model--answer (_connection method _params)
  "Answer a request METHOD of the server."
  (unless (eq method 'ping)
    ;; With the code, since the default one of Emacs 28 lacks its sign.
    (jsonrpc-error :code -32601 :message (format "Emacs knows no request %s" method))))

(defun view-model--delete-process (process)
  "End PROCESS if that is still to do."
  (when (process-live-p process) (delete-process process)))

(defun view-model--kill-buffers (connection)
  "Kill the buffers that jsonrpc made for CONNECTION."
  (let ((kill-buffer-query-functions nil))
    (dolist (buffer (list (format " *%s output*" (jsonrpc-name connection))
                          (jsonrpc-stderr-buffer connection)
                          (jsonrpc-events-buffer connection)))
      (when (and buffer (get-buffer buffer)) (kill-buffer buffer)))))

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

(defun view-model--words (problem)
  "Return the PROBLEM that was signalled in words.
Where Emacs couldn't connect, it lists all its arguments; those are left out."
  (let ((words (seq-take-while #'stringp (cdr problem))))
    (if (cdr words) (string-join words ": ") (error-message-string problem))))

;;; Requests

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

;;; Silence, and stores that can't be used

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

(defun view-model--fell-silent (server)
  "Take note that SERVER doesn't answer.
An address may be reached anew, which is tried.  A server that was
started here has all its sessions, and is waited for."
  (let ((process (view-model--server-process server)))
    (when (stringp (view-model--server-target server))
      (view-model--lost server "the server doesn't answer")
      (view-model--delete-process process))
    (setf (view-model--server-is-silent server) t)
    (view-model--tell server 'changed)))

(defun view-model--goes-on (server)
  "Send SERVER, which has said nothing for a while, what has waited."
  (setf (view-model--server-is-silent server) nil)
  (view-model--tell server 'answers)
  (view-model--tell server 'changed))

(defun view-model--changed-status (server process)
  "Take note where PROCESS of SERVER was stopped or continued.
Emacs is told of that as its parent, and writes nothing to it meanwhile."
  (when (eq process (view-model--server-process server))
    (pcase (process-status process)
      ('stop (view-model--fell-silent server))
      ('run (when (view-model--server-is-silent server) (view-model--goes-on server))))))

(defun view-model--store-is (server stall)
  "Take note that the store of SERVER can't be used, for STALL, or can, for nil.
Who listens is told of the latter, also where nobody waited for it."
  (unless stall (view-model--tell server 'stores))
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
      (view-model--tell server 'changed))))

(defun view-model--stall-words (stall)
  "Say what the server has said as STALL."
  (format "the server can't store anything now (%s); what was sent waits for it"
          (string-remove-prefix "the store can't be used: " stall)))

;;; Coming and going

(defun view-model--connect (server)
  "Begin to connect SERVER."
  (when (timerp (view-model--server-timer server)) (cancel-timer (view-model--server-timer server)))
  (setf (view-model--server-timer server) nil
        (view-model--server-state server) 'connecting
        (view-model--server-problem server) nil
        (view-model--server-is-refused server) nil)
  (view-model--tell server 'changed)
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
    (view-model--tell server 'lost)
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
      (unless is-remote (view-model--tell server 'ended))
      (message "View model: %s" (view-model--server-problem server))))
    (view-model--tell server 'changed)))

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

(provide 'view-model-connection)

;;; view-model-connection.el ends here
