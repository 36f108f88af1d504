;;; view-model-prompt.el --- Asking the user for events and arguments  -*- lexical-binding: t; -*-

;;; Commentary:

;; What a view model takes is described by JSON schemas.  The user is
;; asked for each member by its own.

;;; Code:

(require 'cl-lib)
(require 'json)
(require 'seq)
(require 'subr-x)
(require 'view-model-paint)

;;; Schemas

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

(defun view-model--describe (server name)
  "Return the schemas of the view model NAME, from SERVER."
  (or (gethash name (view-model--server-schemas server))
      (puthash name (view-model--ask server 'viewModel/describe (list :viewModel name))
               (view-model--server-schemas server))))

;;; Questions

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

(defun view-model--read-arguments (server name with-optional)
  "Ask for the arguments of the view model NAME of SERVER.
Those that may be left out are asked for only WITH-OPTIONAL."
  (let ((description (view-model--describe server name)))
    (view-model--read-members (plist-get description :arguments) (plist-get description :$defs) with-optional)))

(provide 'view-model-prompt)

;;; view-model-prompt.el ends here
