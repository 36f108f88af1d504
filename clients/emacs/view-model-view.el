;;; view-model-view.el --- What is known of a view  -*- lexical-binding: t; -*-

;;; Commentary:

;; A view is one attachment to one session.  Here is what is known of it,
;; what the user has done in it that isn't answered, on what it stands,
;; and the variables of the buffer that shows it, which its mode sets.
;;
;; All others work with this, and nothing is done here.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'view-model-connection)
(require 'view-model-rows)

;; In Emacs itself, where it was built with GnuTLS.
(declare-function gnutls-hash-digest "gnutls.c" (digest-method input))

;;; Views

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

(cl-defstruct (view-model--view (:constructor view-model--make-view) (:copier nil))
  "One view of one session."
  server name arguments key
  session                           ; its number on this connection, nil while it isn't attached
  (once (view-model--random-name))  ; by which the server knows an open that it answered before
  asked                             ; that of the newest open, nil where its session was never opened here
  (attachings 0)                    ; how often it was attached
  (seq 0) is-known                  ; the newest event's number, once there was an answer
  access                            ; "read" where the key only lets the user look
  here                              ; who else is here, in words
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

(defun view-model--client-name (view)
  "Return what servers know VIEW by."
  (format "%s-%d" view-model--own-name (view-model--view-name-number view)))

;;; What a mode sets

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

(defvar-local view-model-found-function #'ignore
  "Called when an open has found a session, with all that it shows.")

(defvar-local view-model-opened-function #'ignore
  "Called in the buffer when a session was made for it, and not found.")

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

(defvar-local view-model-status-function #'ignore
  "Called in the buffer for the text of its header line; nil is nothing to say.")

(defun view-model--offered (keys)
  "Return those of KEYS that this buffer's user may use.
Who may only look isn't offered a key of a command that has the
property `view-model-sends'."
  (if (and view-model--view (view-model--looks-only view-model--view))
      (seq-remove (lambda (key)
                    (let ((command (key-binding (kbd (car key)))))
                      (when (eq command 'revert-buffer) (setq command view-model-reload-function))
                      (and (symbolp command) (get command 'view-model-sends))))
                  keys)
    keys))

(defvar-local view-model-keys nil
  "The keys that the header line names, a list of (KEY . WHAT IT DOES).
One that does nil isn't named.")

(defun view-model--in (view function &rest arguments)
  "Call the value of FUNCTION in the buffer of VIEW, with ARGUMENTS.
An error in it, which may be the user's own, is shown with VIEW."
  (when (buffer-live-p (view-model--view-buffer view))
    (with-current-buffer (view-model--view-buffer view)
      (condition-case-unless-debug error
          (apply (symbol-value function) arguments)
        (error (setf (view-model--view-failure view) (error-message-string error))
               nil)))))

(defun view-model--of-buffer ()
  "Return the view of this buffer."
  (or view-model--view (user-error "This buffer shows no view model")))

;;; Views on others

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

(defun view-model--looks-only (view)
  "Return whether VIEW has a key with which nothing can be done but look."
  (equal "read" (view-model--view-access (view-model--root view))))

(defun view-model--may-act (view)
  "Signal an error where the user may only look at VIEW."
  (when (view-model--looks-only view) (user-error "You may only look at this session")))

(defun view-model--top (view)
  "Return the topmost of VIEW and all its children."
  (let ((last (or (car (last (view-model--view-children view))) view)))
    (if-let ((presented (view-model--view-presented last))) (view-model--top presented) last)))

(defun view-model--child (view key)
  "Return the child of VIEW with KEY."
  (cl-find key (cons (view-model--view-presented view) (view-model--view-children view))
           :key (lambda (child) (and child (view-model--view-key child))) :test #'equal))

(defun view-model--list-buffers (view)
  "Return the buffers that show lists of VIEW."
  (seq-filter #'buffer-live-p (mapcar #'view-model-rows-buffer (view-model--view-lists view))))

(defun view-model--buffers (view)
  "Return all buffers that show VIEW."
  (cons (view-model--view-buffer view) (view-model--list-buffers view)))

(defun view-model--hidden (view)
  "Return what is presented over VIEW, where the user closed its window."
  (when-let ((presented (view-model--view-presented view)))
    (unless (get-buffer-window (view-model--view-buffer presented) t) presented)))

;;; How things stand

(defun view-model--label-of (view)
  "Return the words that VIEW is known by, after its session too."
  (or (view-model--view-label view)
      (and (view-model--view-host view) (view-model--in view 'view-model-label-function))
      (view-model--view-name view)
      "view model"))

(defun view-model--is-silent (view)
  "Return whether the server of VIEW doesn't answer."
  (view-model--server-is-silent (view-model--view-server view)))

(defun view-model--is-stale (view)
  "Return whether the text of VIEW may be old."
  (or (view-model--is-silent view)
      (and (null (view-model--view-session view))
           (or (view-model--view-is-known view)
               (view-model--view-reason view)
               (eq (view-model--server-state (view-model--view-server view)) 'ended)))))

(defun view-model--stall (view)
  "Return why what VIEW waits for isn't done, or nil.
It is as the server tells it, whose store can't be used."
  (unless (view-model--view-reason view)
    (or (view-model--view-refusal view)
        (and (or (view-model--view-pending view) (< 0 (view-model--view-unanswered view)))
             (view-model--server-stall (view-model--view-server view))))))

(defun view-model--waiting (view)
  "Return the events of VIEW that wait.
That is for a connection, a session, a server that doesn't answer,
or for its store."
  (unless (or (and (view-model--view-session view)
                   (not (or (view-model--is-silent view) (view-model--stall view))))
              (view-model--view-reason view) (view-model--view-is-fleeting view))
    (view-model--view-pending view)))

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

;;; What no session took

(cl-defstruct (view-model--unsent (:constructor view-model--make-unsent) (:copier nil))
  "An event that no session took."
  root label event was-sent)        ; the names of its root and its view; it was sent, and no answer came

(defvar view-model--unsent nil
  "The events that no session took, oldest first.")

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

(provide 'view-model-view)

;;; view-model-view.el ends here
