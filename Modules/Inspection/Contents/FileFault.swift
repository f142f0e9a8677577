import ChangeTracking
import Crypto
import SyncProtocol

/// What is the matter with one file by its place, as a verification of the whole remote says it of that file.
struct FileFault {
  let node: RemoteNode
  let path: RemotePath
  let application: ApplicationReader
  let document: DocumentReader?

  /// A clause that says it; `nil` if nothing is, or if what opens the file is not at hand.
  func words() async -> String? {
    do throws(ReadingFailure) {
      return try await check()
    } catch {
      return error.isForWantOfKey ? nil : error.description
    }
  }

  private func check() async throws(ReadingFailure) -> String? {
    if document?.remains.contains(node) == true {
      return "it is of a document that had the same name and was deleted"
    }
    if isForged { return "nobody who has the keys at hand has written its name" }
    switch node.role {
    case .wrappedKey(let name):
      guard let ring = application.keys.ring, ring[name.wrapping] != nil else { return nil }
      let bytes = try await application.bytes(at: path, limit: KeyExchange.sizeLimit)
      let isWhole = KeyExchange.holds(name, bytes, ring, application.hierarchy)
      return isWhole ? nil : "it does not hold the key that its name says"
    case .request where node.size ?? 0 > 0: return "it holds something although its name says all"
    case .set, .head, .supersession, .floor, .removal, .deviceName:
      return try await checkInDocument()
    default:
      let checks = InformationChecks(reader: application, documents: application.documents)
      let finding = try await checks.findings(of: node, at: path).first { $0.severity != .hint }
      return finding.map { Self.clause($0.message) }
    }
  }

  /// Whether its name proves that no member has chosen it.
  private var isForged: Bool {
    guard let document else { return false }
    if let name = node.codedName { return document.isForged(name) }
    guard case .acceptance(let acceptance) = node.role, !application.isLocked,
      let names = try? NameAuthenticator(keys: application.keys.ring)
    else { return false }
    return !document.hierarchy.isGenuine(acceptance, names)
  }

  private func checkInDocument() async throws(ReadingFailure) -> String? {
    guard let document else { return nil }
    switch node.role {
    case .set:
      guard let file = document.sets.first(where: { $0.path == path }) else { return nil }
      if case .failure(let failure) = document.inspected(file, await document.result(file)).result {
        throw failure
      }
    case .head(let name): _ = try await document.read(name)
    case .supersession(let name): try await document.check(name)
    case .floor(let name): _ = try await document.read(name)
    case .removal(let name): _ = try await document.read(name)
    case .deviceName(let name): _ = try await document.read(name)
    default: break
    }
    return nil
  }

  /// A sentence as a part of another.
  private static func clause(_ sentence: String) -> String {
    let text = sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
