import Crypto
import Locking
import SyncProtocol

/// Sealed files that were come across, in whatever order.
final class SealedFiles: Sendable {
  typealias Found = (count: Int, first: RemotePath)

  private let found = Locked<(ofDocuments: Found?, others: Found?, isContentPlain: Bool)>((nil, nil, false))

  func note(_ path: RemotePath) {
    let isOfDocument = path.names.count > 3 && path.names[1].description == "Documents"
    func added(_ found: Found?) -> Found { found.map { ($0.count + 1, min($0.first, path)) } ?? (1, path) }
    found.withLock {
      if isOfDocument { $0.ofDocuments = added($0.ofDocuments) } else { $0.others = added($0.others) }
    }
  }

  /// A set or head was read. Which matters only where nothing is encrypted.
  func notePlainContent() { found.withLock { $0.isContentPlain = true } }

  /// What lies in documents: it cannot be read by whom a plain founding record lets in.
  var ofDocuments: Found? { found.withLock { $0.ofDocuments } }
  /// Descriptions of devices.
  var others: Found? { found.withLock { $0.others } }
  /// Whether a set or head was read that is not sealed, where nothing else is.
  var isContentPlain: Bool { found.withLock { $0.isContentPlain } }
}

/// Finds applications from which somebody has taken the encryption: a newcomer would write there what everybody can read.
///
/// Whoever can write there can lay a founding without encryption in the place of the one with; the files of devices stay sealed.
struct EncryptionChecks {
  let applications: [ApplicationReader]

  /// Findings that advise to remove what is not genuine, as all is to whoever has a replaced record only.
  private static let removing: Set<Finding.Code> = [
    .forgedName, .acceptanceForged, .wrappedKeyForeign, .deletionForged, .withdrawalForged,
    .keysWithoutEncryption, .keyFilesUnnamed,
  ]

  func run(_ verification: inout Verification) {
    let isPasswordNeeded = applications.contains { $0.keys.isEncrypted && !$0.isFoundedPlain }
    for application in applications {
      let root = application.hierarchy.root
      if application.isFoundedPlain, let evidence = evidence(in: application) {
        verification.doubted.insert(root)
        verification.keep(Self.removing, below: root)
        verification.findings.append(stripped(root, evidence))
      } else if verification.isPasswordGiven, !isPasswordNeeded, !application.keys.isEncrypted {
        verification.doubted.insert(root)
        verification.findings.append(unneeded(root))
      }
    }
  }

  /// Sealed files of a document tell of the whole application. Others may have strayed in from another remote, unless nothing in the
  /// documents shows that this one is plain.
  private func evidence(in application: ApplicationReader) -> SealedFiles.Found? {
    let files = application.sealedFiles
    let keyed = application.entries.compactMap { node -> (path: RemotePath, isOfDocument: Bool)? in
      guard let path = node.path else { return nil }
      switch node.role {
      case .founding(let name) where name.key != nil:
        return (path, path.parent.map { isWithoutPlainRecord($0, application) } ?? false)
      case .wrappedKey, .withdrawal: return (path, false)
      default: return nil
      }
    }
    let ofDocuments = found(keyed.filter(\.isOfDocument).map(\.path), files.ofDocuments)
    let all = found(keyed.filter { !$0.isOfDocument }.map(\.path), files.others, ofDocuments)
    return ofDocuments != nil || !files.isContentPlain ? all : nil
  }

  private func found(_ paths: [RemotePath], _ files: SealedFiles.Found?...) -> SealedFiles.Found? {
    let all = files.compactMap { $0 } + (paths.min().map { [(paths.count, $0)] } ?? [])
    guard let first = all.map(\.first).min() else { return nil }
    return (all.reduce(0) { $0 + $1.count }, first)
  }

  /// Whether only encrypted founding records lie in the folder of a document.
  private func isWithoutPlainRecord(_ folder: RemotePath, _ application: ApplicationReader) -> Bool {
    folder != application.hierarchy.founding
      && !application.entries.contains { node in
        if case .founding(let name) = node.role {
          name.key == nil && node.path?.parent == folder
        } else {
          false
        }
      }
  }

  private func stripped(_ root: RemotePath, _ evidence: SealedFiles.Found) -> Finding {
    let files =
      evidence.count == 1
      ? "“\(evidence.first)” is" : "\(evidence.count) files, “\(evidence.first)” among them, are"
    return Finding(
      .encryptionStripped, path: root.description,
      message:
        "By its founding record the application is not encrypted, and \(files) of an encrypted one: its keys and records were taken away or replaced.",
      next:
        "Let no device join. Put “Encryption”, “Founding” and the “IntegrityKey” of each document back from a copy, remove nothing, and find out who can write there. If it never was encrypted, these files come from another remote: move them away."
    )
  }

  private func unneeded(_ root: RemotePath) -> Finding {
    Finding(
      .passwordUnneeded, path: root.description,
      message: "A password was given, and nothing here is encrypted: whoever can look at it can read all.",
      next:
        "If it was encrypted, somebody has replaced it: let no device join, and put all back from a copy. If this is another remote than you meant, name that; if it never was encrypted, verify without a password."
    )
  }
}

extension Verification {
  /// Advises to keep what some findings advise to remove.
  fileprivate mutating func keep(_ codes: Set<Finding.Code>, below root: RemotePath) {
    let start = "\(root)/"
    findings = findings.map { finding in
      guard codes.contains(finding.code), finding.path.hasPrefix(start) else { return finding }
      return Finding(
        finding.code, path: finding.path, message: finding.message,
        next: "Leave it: it may be genuine, and the records that vouch for it were replaced.")
    }
  }
}

extension ApplicationReader {
  /// Whether founding records of the application say that it is not encrypted, and no other vouches for a key file.
  var isFoundedPlain: Bool {
    let names = foundingNames
    return !names.isEmpty
      && (keys.isEncrypted ? names.allSatisfy { $0.key == nil } : names.contains { $0.key == nil })
  }
}
