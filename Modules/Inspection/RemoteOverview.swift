import ChangeTracking
import SyncProtocol
import UntrustedBytes

/// What lies on a remote in total, by applications, documents and devices.
public struct RemoteOverview: Sendable {
  /// The applications, by name.
  public let applications: [Application]
  /// Entries that are not ours.
  public let foreign: Int
  /// Folders that were not listed: what lies in them is in no number.
  public internal(set) var unlisted: [UnlistedFolder] = []

  /// An application's part of a remote.
  public struct Application: Sendable {
    /// Whether what it holds is encrypted, and whether it could be opened.
    public enum Protection: String, Sendable {
      /// Nothing is encrypted.
      case none
      /// The password opens it.
      case unlocked
      /// It is encrypted, and no password was given, or one that does not open it.
      case locked
    }

    /// Its identifier.
    public let name: String
    /// How it is protected.
    public let protection: Protection
    /// The devices that have registered, by identifier.
    public let clients: [Client]
    /// Its documents, by identifier.
    public let documents: [Document]
    /// Files, and the bytes in them as far as the storage says.
    public let files: Amount
  }

  /// A device that has registered.
  public struct Client: Sendable {
    /// Its identifier.
    public let identifier: String
    /// What people call it; `nil` if that cannot be read.
    public let description: String?
  }

  /// A document.
  public struct Document: Sendable {
    /// Its identifier.
    public let identifier: String
    /// What people call it; `nil` if that cannot be read.
    public let description: String?
    /// How many genuine foundings it has; more than one if devices created it while apart.
    public let foundings: Int
    /// The change sets.
    public let sets: Amount
    /// The long values.
    public let longValues: Amount
    /// The complete copies.
    public let wholeStores: Amount
    /// Those who have written it or synchronise it, by author.
    public let authors: [Author]
  }

  /// One author: a device in one incarnation of its store.
  public struct Author: Sendable {
    /// Who.
    public let author: AuthorID
    /// The change sets that lie there.
    public let sets: Amount
    /// The sequence of the last one.
    public let lastSet: UInt64
    /// The newest head; `nil` if there is none that somebody known has written.
    public let head: HeadName?
    /// What that says; `nil` if it cannot be read.
    public let content: Head?
    /// Sets of others that lie there and that the author had not merged when the head was written; `nil` if that is not known.
    public let unseen: UInt64?
    /// Whether others have said again all that the author wrote.
    public let isSuperseded: Bool
    /// Whether somebody has removed the device from the document.
    public let isRemoved: Bool
  }

  /// Files and their size.
  public struct Amount: Hashable, Sendable {
    /// How many.
    public internal(set) var files = 0
    /// Bytes in them, as far as the storage says.
    public internal(set) var bytes: Int64 = 0

    mutating func add(_ node: RemoteNode) {
      files += 1
      bytes = bytes.saturatingSum(node.size ?? 0)
    }
  }
}

extension RemoteInspector {
  /// Sums up what lies there. Reads heads and descriptions and nothing else.
  ///
  /// - Throws: ``InspectionError``.
  public func overview() async throws(InspectionError) -> RemoteOverview {
    let tree = try await tree()
    return try await overview(tree, applications(in: tree))
  }

  func overview(
    _ tree: RemoteNode, _ readers: [ApplicationReader]
  ) async throws(InspectionError) -> RemoteOverview {
    var applications: [RemoteOverview.Application] = []
    for reader in readers { applications.append(try await overview(reader)) }
    return RemoteOverview(
      applications: applications, foreign: tree.all.filter { $0.role == .foreign }.count,
      unlisted: readers.flatMap(\.unlisted.all))
  }

  private func overview(
    _ reader: ApplicationReader
  ) async throws(InspectionError) -> RemoteOverview.Application {
    var clients: [RemoteOverview.Client] = []
    var files = RemoteOverview.Amount()
    for node in reader.node.all where node.role != .foreign {
      if case .client(let client) = node.role {
        let path = RemoteName(client).map { reader.hierarchy.deviceInformation(of: $0) }
        var description: String?
        if let path { description = (try? await reader.deviceInformation(path, of: client))?.description }
        clients.append(.init(identifier: client, description: description))
      }
      if !node.isFolder { files.add(node) }
    }
    var documents: [RemoteOverview.Document] = []
    for document in reader.documents {
      if Task.isCancelled { throw .cancelled }
      documents.append(await overview(document))
    }
    let protection: RemoteOverview.Application.Protection =
      if case .notEncrypted = reader.keys { .none } else { reader.isLocked ? .locked : .unlocked }
    return RemoteOverview.Application(
      name: reader.node.name, protection: protection, clients: clients, documents: documents, files: files)
  }

  private func overview(_ reader: DocumentReader) async -> RemoteOverview.Document {
    var sets: [AuthorID: RemoteOverview.Amount] = [:]
    var last: [AuthorID: UInt64] = [:]
    var (values, stores) = (RemoteOverview.Amount(), RemoteOverview.Amount())
    for node in reader.node.all {
      switch node.role {
      case .set(let name, let author):
        sets[author, default: .init()].add(node)
        last[author] = max(last[author] ?? 0, name.sequence)
      case .longValue: values.add(node)
      case .wholeStore: stores.add(node)
      default: continue
      }
    }
    var authors: [RemoteOverview.Author] = []
    let removed = reader.removed
    for author in Set(sets.keys).union(reader.newestHeads.keys).sorted() {
      let head = reader.newestHeads[author]
      let content: Head? = if let head { try? await reader.read(head) } else { nil }
      let unseen = content.map { content in
        last.reduce(UInt64(0)) { sum, other in
          let merged = max(content.vector[other.key], reader.superseded[other.key] ?? 0)
          return other.key == author || other.value <= merged ? sum : sum + (other.value - merged)
        }
      }
      authors.append(
        RemoteOverview.Author(
          author: author, sets: sets[author] ?? .init(), lastSet: last[author] ?? 0, head: head,
          content: content, unseen: unseen,
          isSuperseded: reader.superseded[author].map { $0 >= last[author] ?? 0 } ?? false,
          isRemoved: removed.contains(author)))
    }
    var total = RemoteOverview.Amount()
    for amount in sets.values {
      total.files += amount.files
      total.bytes = total.bytes.saturatingSum(amount.bytes)
    }
    return RemoteOverview.Document(
      identifier: reader.hierarchy.document.description,
      description: try? await reader.information().description,
      foundings: reader.foundings.count, sets: total, longValues: values, wholeStores: stores,
      authors: authors)
  }
}
