// One import gives an application all that it needs: its Views' protocol, and the remote view models that they bind.
@_exported public import ViewModels
