// One import gives whoever writes view models all that they need: the protocols to conform to and the registry to name
// them in. Underscored, and yet the only way to say it; nothing else in this package is exported so.
@_exported public import protocol JSON.SchemaProviding
@_exported public import struct Sessions.Limits
@_exported public import struct Sessions.Registry
@_exported public import ViewModels
