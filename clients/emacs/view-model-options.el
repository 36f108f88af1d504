;;; view-model-options.el --- User options and faces  -*- lexical-binding: t; -*-

;;; Commentary:

;; What a user can set, and how what is shown looks.

;;; Code:


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

(defcustom view-model-generic-events 20
  "How many of the last events `view-model-generic-mode' shows."
  :type 'natnum)

;;; Faces

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

(provide 'view-model-options)

;;; view-model-options.el ends here
