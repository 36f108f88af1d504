;;; view-model-session.el --- Sessions of views  -*- lexical-binding: t; -*-

;;; Commentary:

;; A view opens a session or attaches to one, goes on where it was after
;; a cut, and shows what stands on it, until the session ends.  Which
;; rows of its lists are here is a matter of view-model-rows.el.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'view-model-kept)
(require 'view-model-outbox)
(require 'view-model-screen)

;;; Opening and attaching

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

(defun view-model--open (view)
  "Open a new session for VIEW."
  (view-model--forget view)
  (view-model--request-open view))

(defun view-model--asked-for (view)
  "Return what VIEW asks for beside its session.
In a buffer that isn't a search, a person sees who is here."
  (unless (view-model--view-is-fleeting view) '(:views t)))

(defun view-model--request-open (view)
  "Ask for a session for VIEW, the same again where the answer to that was lost."
  (view-model--choose-mode view)
  (view-model--fetch-description view)
  (view-model--request-for
   view 'session/open
   `( :viewModel ,(view-model--view-name view) :client ,(view-model--client-name view) ,@(view-model--asked-for view)
      :once ,(view-model--view-once view)
      ,@(when-let ((arguments (view-model--view-arguments view))) (list :arguments arguments)))
   ;; One that was found may still be that which was made when the answer was lost.
   (let ((is-repeated (equal (view-model--view-asked view) (view-model--view-once view))))
     (lambda (result)
       (setf (view-model--view-key view) (plist-get result :key))
       (when (view-model--take-session view result)
         (let ((view-model--sends-by-itself t))
           (view-model--in view (if (or is-repeated (not (eq :json-false (plist-get result :isNew))))
                                    'view-model-opened-function
                                  'view-model-found-function))))))
   (lambda (error) (view-model--refused view error)))
  (setf (view-model--view-asked view) (view-model--view-once view)))

(defun view-model--attach (view)
  "Attach VIEW to its session.
It goes on where it was, if it was attached before."
  (view-model--fetch-description view)
  (cl-incf (view-model--view-attachings view))
  (view-model--request-for
   view 'session/attach
   `( :key ,(view-model--view-key view) :client ,(view-model--client-name view) ,@(view-model--asked-for view)
      ,@(when (view-model--view-is-known view)
          `( :since ,(view-model--view-seq view)
             ,@(when-let ((epoch (view-model--view-epoch view))) (list :epoch epoch)))))
   (lambda (result)
     (unless (or (view-model--view-buffer view) (view-model--view-is-removed view))
       (setf (view-model--view-name view) (plist-get result :viewModel))
       (view-model--make-buffer view)
       (view-model--fetch-description view))
     (view-model--take-session view result))
   (let ((attaching (view-model--view-attachings view)))
     (lambda (error)
       (if (eql (plist-get error :code) -32016)
           (view-model--attach-later view attaching error)
         (view-model--refused view error))))))

(defun view-model--take-session (view result)
  "Take RESULT for VIEW, the answer to an attach, or to an open.
That may have found a session.  Return nil where nobody wants to
see it any more."
  (when (view-model--attached view (plist-get result :session))
    (setf (view-model--view-is-known view) t
          (view-model--view-epoch view) (plist-get result :epoch)
          (view-model--view-access view) (plist-get result :access))
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
    (view-model--rebuild view (plist-get result :navigation))
    t))

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

(defun view-model--try-again (view)
  "Attach VIEW again, whose session may be kept."
  (setf (view-model--view-reason view) nil)
  (view-model--paint-soon view)
  (view-model--attach view))

(defun view-model--show-here-again (view)
  "Attach VIEW again, whose place another has taken."
  (let ((key (view-model--view-key view)))
    (view-model--forget view)
    (setf (view-model--view-key view) key)
    (view-model--attach view)))

;;; Ends

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

(defun view-model--leave (view)
  "Take note that VIEW is attached to nothing, and nothing is answered any more."
  (view-model--forget-requests view)
  (view-model--leave-lists view)
  (setf (view-model--view-session view) nil
        (view-model--view-refusal view) nil))

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

;;; Navigation

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

(defun view-model--go-back (view)
  "Ask the server to take VIEW off."
  (unless (view-model--view-session view) (user-error "Can't go back: not connected"))
  (view-model--request-for
   view 'navigation/back (list :session (view-model--view-session view))
   #'ignore
   (lambda (error)
     (message "Can't go back: %s" (or (plist-get (plist-get error :data) :refused) (plist-get error :message))))))

;;; What the server says

(defun view-model--hear (server what &rest arguments)
  "Do for the views of SERVER what follows from WHAT has happened, with ARGUMENTS.
See `view-model--tell'."
  (let* ((roots (view-model--server-roots server))
         (views (view-model--all roots)))
    (pcase what
      ('ready (mapc #'view-model--resume roots))
      ('lost (dolist (view views)
               (view-model--leave view)
               (setf (view-model--view-progress view) nil
                     (view-model--view-was-replaced view) nil)))
      ;; The sessions of a server that was started here are gone with it, but for those that its store may have.
      ('ended (dolist (root (cl-remove-if #'view-model--view-kept roots))
                (if (view-model--may-be-kept root)
                    (view-model--close root (view-model--server-problem server) t)
                  (view-model--orphan root))))
      ('answers (mapc #'view-model--send-what-waits (cl-remove-if-not #'view-model--view-session views)))
      ;; What was refused for the store and is on its way waits for something else.
      ('stores (dolist (view views)
                 (when (and (view-model--view-refusal view) (view-model--view-session view)
                            (not (view-model--view-rests view)))
                   (setf (view-model--view-refusal view) nil)
                   (view-model--paint-soon view))))
      ('notified (apply #'view-model--notified server arguments))
      ('gap (apply #'view-model--resync arguments))
      ('changed (view-model--refresh server)))))

(defun view-model--notified (server method params)
  "Take the notification METHOD with PARAMS that SERVER sent."
  (let ((view (gethash (plist-get params :session) (view-model--server-sessions server))))
    (pcase method
      ('$/progress
       (when-let ((view (gethash (plist-get params :token) (view-model--server-tokens server))))
         (view-model--progressed view (plist-get params :token) (plist-get params :value))))
      ('window/logMessage
       (when (<= (or (plist-get params :type) 1) 2)
         (message "View model server: %s" (plist-get params :message))))
      ((guard (null view)))
      ('session/views
       (setf (view-model--view-here view) (view-model--here-words params))
       (view-model--paint-soon view))
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
         (unless (eq t (plist-get params :more)) (view-model--paint-soon view)))))))

(defun view-model--is-next (view params)
  "Return whether PARAMS carry the next number of VIEW.
Attach again where one is missing."
  (let* ((seq (plist-get params :seq))
         (after (or (plist-get params :after) (1- seq)))
         (newest (view-model--view-seq view)))
    (cond ((<= seq newest) nil)
          ((= after newest) (setf (view-model--view-seq view) seq))
          (t (view-model--resync view) nil))))

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

(provide 'view-model-session)

;;; view-model-session.el ends here
