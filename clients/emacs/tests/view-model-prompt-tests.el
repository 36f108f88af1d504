;;; view-model-prompt-tests.el --- Tests of questions to the user  -*- lexical-binding: t; -*-

;;; Commentary:

;; Keys are pressed where a schema asks for something.

;;; Code:

(require 'ert)
(require 'view-model-testing)

(defun view-model-tests-read (keys schema &optional definitions)
  "Return the event that KEYS make where SCHEMA asks for it; see DEFINITIONS."
  (let (event)
    (with-temp-buffer
      (let ((map (make-sparse-keymap)))
        (define-key map (kbd "<f9>")
          (lambda () (interactive) (setq event (view-model--read-event schema definitions))))
        (use-local-map map)
        (set-window-buffer (selected-window) (current-buffer))
        (execute-kbd-macro (kbd (concat "<f9> " keys)))))
    (json-encode event)))

(ert-deftest view-model-tests-members-are-asked-for-by-their-schema ()
  (cl-flet ((event (&rest properties)
              `(:oneOf [(:type "object" :required ["kind" "a"] :properties (:kind (:const "do") ,@properties))])))
    (let ((definitions '(:Int (:type "integer") :Color (:type "string" :enum ["red" "blue"])
                         :Point (:type "object" :required ["x"] :properties (:x (:$ref "#/$defs/Int")
                                                                             :y (:type "number")))
                         :Shape (:oneOf [(:type "object" :required ["kind"] :properties (:kind (:const "none")))
                                         (:type "object" :required ["kind" "r"]
                                          :properties (:kind (:const "circle") :r (:type "number")))]))))
      (pcase-dolist
          (`(,keys ,properties ,expected)
           '(("RET 7 RET" (:a (:$ref "#/$defs/Int")) "{\"kind\":\"do\",\"a\":7}")
             ("RET 1.5 RET 2 RET" (:a (:$ref "#/$defs/Int")) "{\"kind\":\"do\",\"a\":2}")
             ("RET 9223372036854775807 RET" (:a (:$ref "#/$defs/Int")) "{\"kind\":\"do\",\"a\":9223372036854775807}")
             ("RET RET" (:a (:type "string")) "{\"kind\":\"do\",\"a\":\"\"}")
             ("RET ü SPC \" RET" (:a (:type "string")) "{\"kind\":\"do\",\"a\":\"ü \\\"\"}")
             ("RET false RET" (:a (:type "boolean")) "{\"kind\":\"do\",\"a\":false}")
             ("RET true RET" (:a (:type "boolean")) "{\"kind\":\"do\",\"a\":true}")
             ("RET 2 RET" (:a (:type "integer" :enum [1 2])) "{\"kind\":\"do\",\"a\":2}")
             ("RET blue RET" (:a (:$ref "#/$defs/Color")) "{\"kind\":\"do\",\"a\":\"blue\"}")
             ("RET [1,null,{}] RET" (:a (:type "array")) "{\"kind\":\"do\",\"a\":[1,null,null]}")
             ("RET 1 RET 2.5 RET" (:a (:$ref "#/$defs/Point")) "{\"kind\":\"do\",\"a\":{\"x\":1,\"y\":2.5}}")
             ("RET 1 RET RET" (:a (:$ref "#/$defs/Point")) "{\"kind\":\"do\",\"a\":{\"x\":1}}")
             ("RET circle RET 3 RET" (:a (:$ref "#/$defs/Shape"))
              "{\"kind\":\"do\",\"a\":{\"kind\":\"circle\",\"r\":3}}")
             ("RET RET RET" (:b (:type ["number" "null"]) :c (:anyOf [(:$ref "#/$defs/Int") (:type "null")]))
              "{\"kind\":\"do\"}")
             ("RET 0.2 RET 4 RET" (:b (:type ["number" "null"]) :c (:anyOf [(:$ref "#/$defs/Int") (:type "null")]))
              "{\"kind\":\"do\",\"b\":0.2,\"c\":4}")
             ("RET n" (:b (:$ref "#/$defs/Point")) "{\"kind\":\"do\"}")
             ("RET \"any\" RET" (:a (:description "Anything.")) "{\"kind\":\"do\",\"a\":\"any\"}")))
        (ert-info ((format "%S" properties))
          (should (equal expected (view-model-tests-read keys (apply #'event properties) definitions)))))
      (should (equal "{\"kind\":\"x\"}" (view-model-tests-read "{\"kind\":\"x\"} RET" '(:type "object"))))
      (should (equal "{\"kind\":\"stop\"}"
                     (view-model-tests-read "stop RET" '(:type "object" :properties
                                                         (:kind (:enum ["start" "stop"])))))))))

(provide 'view-model-prompt-tests)

;;; view-model-prompt-tests.el ends here
