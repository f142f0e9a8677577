import Crypto
import Locking
import SyncProtocol

/// Sealed files that were come across, in whatever order.
final class SealedFiles: Sendable {
  private let found = Locked<(count: Int, first: RemotePath)?>(nil)

  func note(_ path: RemotePath) {
    found.withLock { $0 = $0.map { ($0.count + 1, min($0.first, path)) } ?? (1, path) }
  }

  var all: (count: Int, first: RemotePath)? { found.withLock { $0 } }
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

  private func evidence(in application: ApplicationReader) -> (count: Int, first: RemotePath)? {
    if let found = application.sealedFiles.all { return found }
    let keyed = application.entries.compactMap { node -> RemotePath? in
      switch node.role {
      case .founding(let name): name.key == nil ? nil : node.path
      case .wrappedKey, .withdrawal: node.path
      default: nil
      }
    }.sorted()
    return keyed.first.map { (keyed.count, $0) }
  }

  private func stripped(_ root: RemotePath, _ evidence: (count: Int, first: RemotePath)) -> Finding {
    let files =
      evidence.count == 1
      ? "“\(evidence.first)” is" : "\(evidence.count) files, “\(evidence.first)” among them, are"
    return Finding(
      .encryptionStripped, path: root.description,
      message:
        "By its founding record the application is not encrypted, and \(files) of an encrypted one: its keys and records were taken away or replaced.",
      next:
        "Let no device join. Put “Encryption”, “Founding” and the “IntegrityKey” of each document back from a copy, remove nothing, and find out who can write there."
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
  /// Whether all founding records of the application say that it is not encrypted.
  var isFoundedPlain: Bool {
    let names = foundingNames
    return !names.isEmpty && names.allSatisfy { $0.key == nil }
  }
}
