;;; view-model-kept.el --- Sessions to come back to, and who is there  -*- lexical-binding: t; -*-

;;; Commentary:

;; The sessions that the user may come back to, as they are offered, and
;; who else has a view of one, in words.  Names, titles and arguments
;; come from other clients.

;;; Code:

(require 'json)
(require 'seq)
(require 'subr-x)
(require 'view-model-connection)

(defconst view-model--most-names 5 "How many of those who are here are named.")

(defun view-model--clean (text)
  "Return TEXT without control characters."
  (replace-regexp-in-string "[[:cntrl:]]" "?" text))

;;; Who is here

(defun view-model--name-of-present (entry)
  "Return the name of ENTRY, one of the views of a session."
  (let* ((program (plist-get entry :program))
         (name (or (plist-get entry :principal) program "somebody")))
    (view-model--clean
     (concat name
             (when (and program (plist-get entry :principal)) (format " (%s)" program))
             (when (equal "read" (plist-get entry :access)) ", looking")))))

(defun view-model--here-words (params)
  "Say who else is here by PARAMS of session/views; nil where nobody is."
  (let* ((views (plist-get params :views))
         (names (seq-uniq (mapcar #'view-model--name-of-present
                                  (seq-remove (lambda (entry) (eq t (plist-get entry :you))) views))))
         (rest (+ (max 0 (- (length names) view-model--most-names))
                  (max 0 (- (or (plist-get params :count) 0) (length views))))))
    (when names
      (concat "here: " (string-join (seq-take names view-model--most-names) ", ")
              (unless (zerop rest) (format " and %d more" rest))))))

;;; Sessions to come back to

(defun view-model--ago (time)
  "Say how long ago TIME is, a date and time as in RFC 3339."
  (let ((passed (condition-case nil
                    (float-time (time-subtract nil (date-to-time time)))
                  (error 0))))
    (or (seq-some (pcase-lambda (`(,seconds . ,unit))
                    (let ((count (floor passed seconds)))
                      (when (> count 0) (format "%d %s%s ago" count unit (if (= count 1) "" "s")))))
                  '((86400 . "day") (3600 . "hour") (60 . "minute")))
        "just now")))

(defun view-model--kept-line (session)
  "Return the line of SESSION in a choice."
  (let ((about (or (plist-get session :title)
                   (when-let ((arguments (plist-get session :arguments))) (json-encode arguments))))
        (views (or (plist-get session :views) 0)))
    (view-model--clean
     (concat (plist-get session :viewModel) (when about (concat ": " about))
             "  " (view-model--ago (plist-get session :lastUsed))
             (unless (zerop views) (format "  %d view%s" views (if (= views 1) "" "s")))))))

(defun view-model--kept-choices (server)
  "Return what the user may come back to on SERVER, the newest first.
Each is a line with a session.  An older server knows of none."
  (let ((sessions (seq-filter (lambda (session) (plist-get session :lastUsed))
                              (plist-get (view-model--ask server 'session/list '(:kept t)) :sessions)))
        choices)
    (dolist (session sessions (nreverse choices))
      (let ((line (view-model--kept-line session)))
        ;; Two that look the same are told apart by the beginnings of their keys, as they are elsewhere.
        (when (assoc line choices) (setq line (format "%s  %.8s" line (plist-get session :key))))
        (push (cons line session) choices)))))

(provide 'view-model-kept)

;;; view-model-kept.el ends here
