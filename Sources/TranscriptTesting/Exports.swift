// All that a test needs with one import.
@_exported public import struct Sessions.Limits
@_exported public import struct Sessions.Registry
@_exported public import class Transcripts.TranscriptClock
@_exported public import protocol ViewModelServer.Server
