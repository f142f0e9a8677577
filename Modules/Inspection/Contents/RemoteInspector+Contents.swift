import ChangeTracking
import CoreDataFormats
import Crypto
import Foundation
import SyncProtocol

extension FileContent {
  /// Bytes of a file that are read into memory at most.
  static let sizeLimit = 256 << 20

  /// Recognises a file on this device by what it holds.
  ///
  /// - Throws: ``InspectionError`` with `noFile` if it cannot be read.
  public init(ofFileAt path: String) throws(InspectionError) {
    self = try Self.read(path, as: ContentRecognition(name: URL(filePath: path).lastRemoteName))
  }

  static func read(
    _ path: String, as recognition: ContentRecognition, limit: Int = sizeLimit
  ) throws(InspectionError) -> FileContent {
    guard let beginning = try? LocalFile.beginning(of: path, count: XMLStore.beginningSize) else {
      throw .noFile(path)
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let size = (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    var content = FileContent(kind: .unknown, size: size)
    do {
      if StoreContents.isStore(beginning) {
        try StoreContents(path: path).read(&content)
      } else if SealedContainer.isSealed(beginning) {
        // What it is sealed with stands at its beginning; the rest tells nothing without a key.
        content = recognition.content(of: beginning, size: size)
      } else if size > SetLimits.fileSize, ChangeSetFormats.standard.codec(of: beginning) != nil {
        content.kind = .changeSet
        content.problem = "no set has more than \(SetLimits.fileSize >> 20) MiB, so it was not read"
      } else if size > limit {
        content = recognition.content(of: beginning, size: size)
        content.problem = "only its beginning was looked at, for it is larger than \(limit >> 20) MiB"
      } else {
        content = recognition.content(of: try LocalFile.beginning(of: path, count: Int(size)), size: size)
      }
    } catch {
      content.problem = "\(error)"
    }
    return content
  }
}

extension RemoteInspector {
  /// Reads and recognises a file of the remote; one that is encrypted is opened with the password.
  ///
  /// - Parameter path: where it lies, from the remote's root. What is none of ours may have a name of the classic grammar.
  /// - Throws: ``InspectionError``, with `noFile` if no file lies there.
  public func content(of path: RemotePath) async throws(InspectionError) -> FileContent {
    let tree = try await tree()
    guard let node = tree.file(at: path.names.map(\.description)) else {
      if let failure = UnlistedFolders(tree.all).failure(of: path) { throw .storage(failure) }
      throw .noFile(path.description)
    }
    let applications = try await applications(in: tree)
    let application = applications.first { $0.node.name == path.names.first?.description }
    let document = application?.documents.first { path.description.hasPrefix("\($0.hierarchy.root)/") }
    return try await FileOpening(
      path: path, node: node, application: application, document: document, inspector: self
    ).content()
  }
}

extension RemoteNode {
  /// The file to which names lead from here, whatever they are like.
  fileprivate func file(at names: [String]) -> RemoteNode? {
    var node = self
    for name in names {
      guard let child = node.children.first(where: { $0.name == name }) else { return nil }
      node = child
    }
    return node.isFolder ? nil : node
  }
}

extension URL {
  fileprivate var lastRemoteName: RemoteName? { RemoteName(lastPathComponent) }
}
