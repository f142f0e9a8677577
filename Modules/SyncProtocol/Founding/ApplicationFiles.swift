/// What a device has read and written of the application's part of a remote while it registered, so that whoever joins a document then
/// need not ask for it again.
struct ApplicationFiles: Sendable {
  /// The founding records that lie there.
  var foundings: [FoundingName]
  /// The keys that lie there.
  var keys: KeyFolder
  /// The bytes of small files, as far as they are known.
  var contents: [RemotePath: [UInt8]]
}
