import ChangeTracking
import Crypto
import Foundation
import TICDSOpenSSL
import TICDSZlib

@testable import SyncProtocol

/// Makes files that look like those of a document, as well as somebody can who knows the formats and has no key.
struct Forger {
  private let stage: AttackStage
  private let hierarchy = DocumentHierarchy.notes
  /// The key of the attacker's own.
  private let key: MasterKey
  /// The names of all files.
  private let names: [RemoteName]
  /// The foundings of the document.
  private let foundings: [IntegrityKey]
  /// Whom somebody asks for a set.
  private let author: AuthorID

  init(_ remote: AttackRemote, _ stage: AttackStage) throws {
    self.stage = stage
    key = try MasterKey.generate()
    let files = remote.files
    func name(_ path: String) -> RemoteName? { path.split(separator: "/").last.flatMap { RemoteName($0) } }
    names = files.compactMap(name)
    foundings = files.filter { $0.contains("/notes/IntegrityKey/") }.compactMap(name)
      .compactMap { FoundingName($0)?.integrityKey }
    let asked = names.compactMap { ResendRequest($0)?.subject }.lazy.compactMap { subject in
      if case .set(let author, _) = subject { author } else { nil as AuthorID? }
    }
    author = asked.first ?? AuthorID(bits: 1)
  }

  /// Forged files of a kind, by path.
  func files(_ file: AttackedFile, count: Int, _ targets: [String]) throws -> [(String, [UInt8])] {
    try (1...count).flatMap { number in try self.files(file, number, targets) }
  }

  /// Codes are a guess, or the right checksums where that is all there is.
  private func code(_ statement: [String]) throws -> NameCode {
    try NameAuthenticator(keys: stage.isEncrypted ? KeyRing(key) : nil).code(statement)
  }

  private func seal(_ plain: [UInt8], _ file: DocumentFile) throws -> [UInt8] {
    guard stage.isEncrypted, let founding = foundings.first else { return plain }
    let context = file.context(in: hierarchy, founding)
    return try SealedContainer.seal(plain, as: context, with: key)
  }

  private func path(_ path: RemotePath) -> String { path.description }

  private func files(_ file: AttackedFile, _ number: Int, _ targets: [String]) throws -> [(String, [UInt8])] {
    let invented = AuthorID(bits: UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    let hash = ContentHash(of: Array("forged \(number)".utf8))
    let application = hierarchy.application
    let founding = foundings.first ?? IntegrityKey(hash)
    let text = Array("slipped in \(number)".utf8)
    switch file {
    case .readMe:
      return number == 1 ? targets.map { ($0, text) } : [("\(application.root)/ReadMe-\(number).txt", text)]
    case .deviceInformation:
      let plist = DeviceInformation(identifier: "device-a", description: "slipped in", userInformation: [:])
      return [
        (
          number == 1 ? targets[0] : "\(application.clientDevices)/forged-\(number)/deviceInfo.plist",
          plist.bytes
        )
      ]
    case .keyFile:
      var random = SystemRandomNumberGenerator()
      let made = try KeyFile.create(
        password: "evil", parameters: Scrypt.Parameters(cost: 16, blockSize: 8, parallelization: 1))
      let name = KeyFileName(made.key.identifier, using: &random)
      var files = [(path(application.encryption / name.name), number % 2 == 1 ? made.file.bytes : text)]
      // Under the name of the key that is in use.
      if let own = names.compactMap({ KeyFileName($0) }).first {
        files.append(
          (path(application.encryption / KeyFileName(own.key, using: &random).name), made.file.bytes))
      }
      return files
    case .wrappedKey:
      guard let own = names.compactMap({ KeyFileName($0) }).first else { return [] }
      let other = try MasterKey.generate()
      return try [(other.identifier, own.key), (own.key, other.identifier), (own.key, key.identifier)].map {
        let name = WrappedKeyName($0, wrapping: $1)
        let context = SealedContext(role: .wrappedKey, identity: application.identity(of: name))
        let bytes = try SealedContainer.seal([UInt8](repeating: 7, count: 32), as: context, with: key)
        return (path(application.encryption / name.name), bytes)
      }
    case .applicationFounding, .documentFounding:
      let isOfDocument = file == .documentFounding
      let keys: [MasterKey?] = stage.isEncrypted ? [key, nil] : [nil]
      return try keys.map { key in
        let record = FoundingRecord(
          key: key?.identifier, time: .max, application: application.application.description,
          document: isOfDocument ? "notes" : "", format: isOfDocument ? FoundingRecord.compact : "",
          formatVersion: 1, creator: "forged",
          nonce: (0..<16).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) })
        // Under the key that is in use, as far as the name tells.
        let named = key == nil ? nil : names.compactMap { KeyFileName($0) }.first?.key
        let statement =
          isOfDocument
          ? hierarchy.statement(founding: record.integrityKey, key: named)
          : application.statement(founding: record.integrityKey, key: named)
        let code = try NameAuthenticator(keys: key.map { KeyRing($0) }).code(statement)
        let name = FoundingName(record.integrityKey, key: named, code: code)
        return (
          path(isOfDocument ? hierarchy.file(of: name) : application.file(of: name)),
          try record.encoded(with: key)
        )
      }
    case .acceptance:
      return try [(founding, IntegrityKey(hash)), (IntegrityKey(hash), founding)].map { one, other in
        let name = AcceptanceName(
          one, accepts: other, code: try code(hierarchy.statement(founding: one, accepts: other)))
        return (path(hierarchy.file(of: name)), [])
      }
    case .documentInformation:
      let plist = DocumentInformation(
        identifier: "notes", description: "slipped in", originalClient: "forged",
        originalClientDescription: "")
      return number == 1
        ? targets.map { ($0, plist.bytes) } : [("\(hierarchy.root)/documentInfo-\(number).plist", text)]
    case .set:
      // One in the place of the first, and one that would be next.
      let bytes = try seal(text, .set(1, by: author))
      return [UInt64(1), UInt64(number) + 1_000].map { sequence in
        let name = SetName(sequence: sequence, hash: ContentHash(of: bytes))
        return (path(hierarchy.file(of: name, by: author)), bytes)
      }
    case .longValue:
      let bytes = try seal(text, .longValue(hash))
      guard number > 1, let name = RemoteName("\(hash).value").flatMap({ LongValueName($0) }) else {
        return targets.map { ($0, bytes) }
      }
      return [(path(hierarchy.file(of: name)), bytes)]
    case .head:
      return try [(author, UInt64(number) + 900), (invented, 1)].map { author, sequence in
        let statement = HeadName.statement(author: author, sequence: sequence, seen: 0, hash: hash)
        let name = HeadName(
          author: author, sequence: sequence, seen: 0, hash: hash,
          code: try code(hierarchy.statement(HeadName.purpose, statement, of: founding)))
        return (path(hierarchy.file(of: name)), text)
      }
    case .request, .valueRequest:
      let own = names.compactMap { LongValueName($0) }.first?.digits ?? hash
      let subject: ResendRequest.Subject =
        file == .request ? .set(author: author, sequence: UInt64(number)) : .value(own)
      let statement = ResendRequest.statement(asker: invented, subject: subject, count: 9_999)
      let name = ResendRequest(
        asker: invented, subject: subject, count: 9_999,
        code: try code(hierarchy.statement(ResendRequest.purpose, statement, of: founding)))
      return [(path(hierarchy.file(of: name)), [])]
    case .supersession:
      let own = author
      let by = names.compactMap { HeadName($0) }.first { $0.author != own }?.author ?? invented
      let author = number == 1 ? by : invented
      let statement = Supersession.statement(author: author, restated: 0, former: own, through: 999)
      let name = Supersession(
        author: author, restated: 0, former: own, through: 999,
        code: try code(hierarchy.statement(Supersession.purpose, statement, of: founding)))
      let bytes = try seal(Supersession.Content(chain: hash, sets: []).bytes, .supersession(name))
      return [(path(hierarchy.file(of: name)), bytes)]
    case .mention:
      let set = SetName(sequence: UInt64(number) + 900, hash: hash)
      let statement = Mention.statement(author: number == 1 ? author : invented, set: set)
      let name = Mention(
        author: number == 1 ? author : invented, set: set,
        code: try code(hierarchy.statement(Mention.purpose, statement, of: founding)))
      return [(path(hierarchy.file(of: name)), [])]
    case .floor:
      var floor = VersionVector()
      floor[number == 1 ? author : invented] = 900
      let content = HistoryFloor.bytes(floor)
      let statement = HistoryFloor.statement(
        author: invented, phase: .inForce, total: floor.total, hash: ContentHash(of: content))
      let name = HistoryFloor(
        author: invented, phase: .inForce, total: floor.total, hash: ContentHash(of: content),
        code: try code(hierarchy.statement(HistoryFloor.purpose, statement, of: founding)))
      return [(path(hierarchy.file(of: name)), try seal(content, .floor(name)))]
    case .removal:
      let removed = number == 1 ? author : AuthorID(bits: UInt64(number) + 77)
      let name = RemovalName(
        author: removed,
        code: try code(hierarchy.statement(RemovalName.purpose, removed.description, of: founding)))
      let information = RemovalInformation(client: "", name: "", remover: "slipped in", time: 1)
      return [(path(hierarchy.file(of: name)), try seal(information.bytes, .removal(name)))]
    case .deviceName:
      let time = 9_000_000_000 + UInt64(number)
      let renamed = number == 1 ? author : AuthorID(bits: UInt64(number) + 77)
      let name = RenamingName(
        author: renamed, time: time,
        code: try code(
          hierarchy.statement(
            RenamingName.purpose, RenamingName.statement(author: renamed, time: time), of: founding)))
      let information = DeviceInformation(identifier: "forged", description: "slipped in")
      return [(path(hierarchy.file(of: name)), try seal(information.bytes, .deviceName(name)))]
    case .wholeStore:
      let bytes = try seal(text, .wholeStore(by: author, sequence: 900, seen: UInt64(number)))
      let (hash, size) = (ContentHash(of: bytes), WholeStoreName.SizeClass(of: Int64(bytes.count)))
      let statement = WholeStoreName.statement(
        author: author, sequence: 900, seen: UInt64(number), hash: hash, size: size)
      let name = WholeStoreName(
        author: author, sequence: 900, seen: UInt64(number), hash: hash, size: size,
        code: try code(hierarchy.statement(WholeStoreName.purpose, statement, of: founding)))
      return [(path(hierarchy.file(of: name)), bytes)]
    case .deletion:
      let deleted = number == 1 ? founding : IntegrityKey(hash)
      let name = DeletionName(deleted, code: try code(hierarchy.statement(deleted: deleted)))
      return [(path(application.file(of: name)), text)]
    case .applicationFolder, .keyFolder, .clientFolder, .documentFolder, .authorFolder, .headFolder: return []
    }
  }

  /// Forged folders of a kind with a file in each; where there is one only, junk in it.
  static func folders(_ file: AttackedFile, beside path: String, count: Int) -> [(String, [UInt8])] {
    let parent = path.split(separator: "/").dropLast().joined(separator: "/")
    let text = Array("slipped in".utf8)
    return (1...count).map { number in
      switch file {
      case .applicationFolder: ("com.example.forged-\(number)/Documents/x/documentInfo.plist", text)
      case .clientFolder: ("\(parent)/forged-\(number)/deviceInfo.plist", text)
      case .documentFolder: ("\(parent)/forged-\(number)/documentInfo.plist", text)
      case .authorFolder:
        (
          "\(parent)/\(AuthorID(bits: UInt64(number) + 77))/\(SetName(sequence: 1, hash: ContentHash(of: text)).name)",
          text
        )
      default: ("\(path)/junk-\(number)", text)
      }
    }
  }

  /// Little that inflates to 64 MiB, in the form that a kind of file would have without encryption.
  static func bomb(_ file: AttackedFile) throws -> [UInt8] {
    let body = try deflate([UInt8](repeating: 0, count: 64 << 20), format: .raw)
    switch file {
    case .wholeStore:
      return WholeStoreHeader(length: 1 << 30, fileCount: 0).bytes
        + (try deflate([UInt8](repeating: 0, count: 64 << 20)))
    case .longValue: return Array("TICDSval".utf8) + [1, 1] + body
    default: return CompactCodec.magic + [CompactCodec.version] + [0x80, 0x80, 0x80, 0x20] + body
    }
  }
}
