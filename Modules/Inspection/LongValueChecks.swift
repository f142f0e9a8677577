import ChangeTracking
import Crypto
import SyncProtocol

/// Checks that the long values that sets mention are there and whole, and finds those that no set mentions.
struct LongValueChecks {
  let reader: DocumentReader
  let remote: String
  /// Every value that a readable set mentions, with a set that does.
  let mentions: [LongValue: RemotePath]
  /// Whether all sets could be read, so that what none of them mentions is not needed.
  let isComplete: Bool

  func run(_ verification: inout Verification) async {
    let files = reader.longValues
    let keys: KeyRing?
    switch reader.application.keys {
    case .locked, .unreadable:
      verification.locked += files.count
      return
    case .notEncrypted: keys = nil
    case .unlocked(let ring): keys = ring
    }
    var unused = Set(files)
    let copies = copies
    let areValuesListed = reader.application.unlisted.isListed(reader.hierarchy.longValues)
    for (value, set) in mentions.sorted(by: { $0.key.hash.description < $1.key.hash.description }) {
      if Task.isCancelled { return }
      guard let names = try? LongValueName.candidates(value.hash, keys: keys) else { continue }
      let present = names.filter(files.contains)
      unused.subtract(present)
      guard !present.isEmpty else {
        if !areValuesListed { continue }
        verification.findings.append(missing(value, names, mentionedBy: set))
        if let name = names.first {
          verification.lost.append(.init(document: reader.hierarchy, subject: .value(name.digits)))
        }
        for name in names { await lookAt(copies[name] ?? [], of: value, name, &verification) }
        continue
      }
      for name in present {
        verification.longValues += 1
        do {
          try await reader.check(value, in: name)
        } catch {
          if verification.passesOver(error, at: reader.hierarchy.file(of: name)) { continue }
          verification.findings.append(finding(name, error))
          await lookAt(copies[name] ?? [], of: value, name, &verification)
        }
      }
    }
    if isComplete { verification.findings += unused.map(unneeded) }
  }

  /// Copies of one value that are read at most.
  private static let copyLimit = 16

  /// Copies in conflict, by the names of the values.
  private var copies: [LongValueName: [RemotePath]] {
    let folder = reader.node.children.first { $0.path == reader.hierarchy.longValues }
    guard let folder else { return [:] }
    var copies: [LongValueName: [RemotePath]] = [:]
    for node in folder.children where node.role == .foreign {
      guard let original = EntryChecks.original(node.name, in: folder).flatMap({ LongValueName($0) }),
        let path = RemotePath(copy: "\(reader.hierarchy.longValues)/\(node.name)")
      else { continue }
      copies[original, default: []].append(path)
    }
    return copies
  }

  /// Notes the copies that are a value which is damaged or not there.
  private func lookAt(
    _ copies: [RemotePath], of value: LongValue, _ name: LongValueName, _ verification: inout Verification
  ) async {
    for path in copies.prefix(Self.copyLimit) where !Task.isCancelled {
      var reader = reader
      reader.application.copies[reader.hierarchy.file(of: name)] = path
      guard (try? await reader.check(value, in: name)) != nil else { continue }
      verification.whole.insert(path)
      return
    }
  }

  private func missing(_ value: LongValue, _ names: [LongValueName], mentionedBy set: RemotePath) -> Finding {
    // Of an encrypted remote no name tells a hash: who looks for the file in a backup needs it.
    let files = names.prefix(4).map { "“\($0.name)”" }.joined(separator: " or ")
    return Finding(
      .missingValue, path: set.description,
      message:
        "The set mentions a value of \(value.length) bytes, \(value.hash), that is not there: \(files) in “\(reader.hierarchy.longValues.name?.description ?? "")”.",
      next:
        "If no device waits for it, it was overwritten since, and the set goes once devices have uploaded whole stores and vacuumed. \(Finding.waiting(remote))"
    )
  }

  private func finding(_ name: LongValueName, _ failure: ReadingFailure) -> Finding {
    Finding(
      failure, path: reader.hierarchy.file(of: name),
      message: "The value cannot be used: \(failure.description).",
      next: "Restore the file from a copy of the remote; devices that have the value are not affected.")
  }

  private func unneeded(_ name: LongValueName) -> Finding {
    Finding(
      .unusedValue, path: reader.hierarchy.file(of: name).description,
      message: "No set mentions this value.",
      next: "Nothing: a device may be about to push; otherwise one that vacuums removes it a day later.")
  }
}

extension DocumentReader {
  /// The files of long values.
  var longValues: Set<LongValueName> {
    Set(entries.compactMap { if case .longValue(let name) = $0.role { name } else { nil } })
  }

  /// Reads a long value, and compares it with its hash.
  func check(_ value: LongValue, in name: LongValueName) async throws(ReadingFailure) {
    _ = try await read(value, in: name)
  }

  /// Reads, opens and decodes a long value, and compares it with its hash.
  func read(_ value: LongValue, in name: LongValueName) async throws(ReadingFailure) -> [UInt8] {
    let bytes = try await application.bytes(
      at: hierarchy.file(of: name), limit: LongValueFile.sizeLimit(value.length))
    let content = try open(bytes, as: .longValue(value.hash))
    let decoded: [UInt8]
    do throws(FormatError) {
      decoded = try LongValueFile.decode(content, length: value.length)
    } catch {
      throw .format(error.description)
    }
    guard value.value(of: decoded) != nil else { throw .wrongHash(found: ContentHash(of: decoded)) }
    return decoded
  }
}
