import Inspection
import SyncProtocol
import UntrustedBytes

/// A folder of the remote with the amounts below it, and at most so many of its entries that a person looks through them.
public struct ReportFolder: Sendable {
  /// How many files of one folder are listed.
  static let fileLimit = 25
  /// How many folders of one folder are listed.
  static let folderLimit = 60

  /// Its name; empty for the root.
  public let name: String
  /// What it is for.
  public let role: FileRole
  /// The first folders in it.
  public let folders: [ReportFolder]
  /// The last files in it, which are the newest where names count up.
  public let files: [File]
  /// Files in it and below it, and the bytes in them.
  public let amount: Amount
  /// Folders that are not listed.
  public let hiddenFolders: Int
  /// Files in it that are not listed.
  public let hiddenFiles: Int
  /// Why it could not be listed.
  public let failure: String?

  /// A file.
  public struct File: Sendable {
    /// Its name.
    public let name: String
    /// What it is for.
    public let role: FileRole
    /// Its size in bytes, where the storage says so.
    public let size: Int64?
  }

  /// Files and their size.
  public struct Amount: Hashable, Sendable {
    /// How many.
    public var files = 0
    /// Bytes in them.
    public var bytes: Int64 = 0

    mutating func add(_ other: Amount) {
      files += other.files
      bytes = bytes.saturatingSum(other.bytes)
    }
  }

  init(_ node: RemoteNode) {
    let inner = node.children.filter(\.isFolder).map { ReportFolder($0) }
    let outer = node.children.filter { !$0.isFolder }
    var amount = Amount()
    for folder in inner { amount.add(folder.amount) }
    for file in outer { amount.add(Amount(files: 1, bytes: max(0, file.size ?? 0))) }
    name = node.name
    role = node.role
    folders = Array(inner.prefix(Self.folderLimit))
    files = outer.suffix(Self.fileLimit).map { File(name: $0.name, role: $0.role, size: $0.size) }
    self.amount = amount
    hiddenFolders = inner.count - folders.count
    hiddenFiles = outer.count - files.count
    failure = node.failure?.description
  }
}
