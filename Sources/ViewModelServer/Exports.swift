// One import gives an author of view models everything: the protocols to conform to and the registry to name them in.
// The attribute is underscored, but there is no other.
@_exported public import struct Hosting.TCPAddress
@_exported public import protocol JSON.SchemaProviding
@_exported public import struct Serving.LogEntry
@_exported public import struct Sessions.Limits
@_exported public import struct Sessions.Registry
@_exported public import ViewModels
