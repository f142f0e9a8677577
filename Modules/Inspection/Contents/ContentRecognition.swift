import ChangeTracking
import CoreDataFormats
import Crypto
import SyncProtocol

/// Recognises what bytes are, and reads as much of them as tells a person what they are good for.
///
/// Bytes come from anybody: each reader has bounds of its own, and lists are cut.
struct ContentRecognition {
  /// The file's name, which heads and floors have to agree with.
  var name: RemoteName?
  /// The keys at hand.
  var keys: KeyRing?

  /// How many elements of a list are told.
  static let listLimit = 1_000

  /// Recognises the bytes of a file that was opened, if it was sealed.
  func content(of bytes: [UInt8], size: Int64) -> FileContent {
    var content = FileContent(kind: .unknown, size: size)
    do {
      try read(bytes, &content)
    } catch {
      content.problem = "\(error)"
    }
    return content
  }

  private func read(_ bytes: [UInt8], _ content: inout FileContent) throws {
    if bytes.isEmpty {
      content.kind = .empty
    } else if SealedContainer.isSealed(bytes) {
      content.kind = .sealed
      content.isEncrypted = true
      content.isLocked = true
      content.facts = [.init("key", .text("\(try SealedContainer.keyIdentifier(of: bytes))"))]
      content.problem = "it is encrypted"
    } else if KeyFile.isKeyFile(bytes) {
      content.kind = .keyFile
      try readKeyFile(bytes, &content)
    } else if ChangeSetFormats.standard.codec(of: bytes) != nil {
      content.kind = .changeSet
      readSet(try set(of: bytes), &content)
    } else if bytes.starts(with: Array("TICDS".utf8)) {
      try readRecord(bytes, &content)
    } else if BinaryPropertyList.isBinaryPropertyList(bytes) {
      try readPropertyList(bytes, &content)
    } else if bytes.starts(with: Array("PK".utf8)), let archive = ZipDirectory(bytes) {
      content.kind = .zip
      content.facts = archive.facts
    } else if let text = String(validating: bytes, as: UTF8.self),
      Self.isText(text) || (try? InformationFile(bytes)) != nil
    {
      readText(text, bytes, &content)
    } else if Self.mayBeClassicContainer(bytes.count) {
      content.kind = .classicContainer
      content.isLocked = true
      content.problem =
        "nothing tells for certain what it is; a file that TICoreDataSync has encrypted looks like this"
    }
  }

  /// A set: a file of a remote without encryption ends with the mark of its document, one that was opened does not.
  private func set(of bytes: [UInt8]) throws(CodecError) -> ChangeSet {
    if let set = try? ChangeSetFormats.standard.decode(DocumentMark.removed(from: bytes)) { return set }
    return try ChangeSetFormats.standard.decode(bytes)
  }

  private func readSet(_ set: ChangeSet, _ content: inout FileContent) {
    content.set = set
    let times = set.changes.lazy.map(\.time.milliseconds)
    content.facts = [
      .init("author", .text("\(set.author)")), .init("client", .text(set.client)),
      .init("sequence", .init(set.sequence)),
      .init("previous", .text(set.previous.map { "\($0)" } ?? "")), .init("model", .text(set.model)),
      .init(
        "entities",
        .list(set.entities.prefix(Self.listLimit).map { .text($0.name) })),
      .init("changes", .init(set.changes.count)),
    ]
    if let first = times.min(), let last = times.max() {
      content.facts += [.init("first", .time(first)), .init("last", .time(last))]
    }
  }

  private func readKeyFile(_ bytes: [UInt8], _ content: inout FileContent) throws {
    let file = try KeyFile(parsing: bytes)
    content.facts = [
      .init("key", .text("\(file.keyIdentifier)")),
      .init(
        "slots",
        .list(
          file.slots.map { slot in
            .group([
              .init("slot", .text("\(slot.identifier)")), .init("opens", .text(slot.kind.words)),
              .init("label", .text(slot.label)), .init("cost", .init(slot.parameters.cost)),
              .init("blockSize", .init(slot.parameters.blockSize)),
              .init("parallelization", .init(slot.parameters.parallelization)),
            ])
          })),
    ]
  }

  private func readPropertyList(_ bytes: [UInt8], _ content: inout FileContent) throws {
    content.kind = .propertyList
    let limits = Self.limits
    let list = try BinaryPropertyList.decode(bytes, limits: limits)
    guard list.dictionaryValue?["$archiver"] != nil else {
      content.facts = [.init("content", PropertyListFacts().value(list))]
      return
    }
    content.kind = .keyedArchive
    let archive = try KeyedArchive(bytes, limits: limits)
    content.facts = [
      .init("roots", .list(archive.roots.keys.sorted().prefix(Self.listLimit).map { .text($0) }))
    ]
    content.facts.append(.init("content", PropertyListFacts().value(try archive.decode(allowing: .any))))
  }

  private func readText(_ text: String, _ bytes: [UInt8], _ content: inout FileContent) {
    content.kind = .text
    guard let file = try? InformationFile(bytes) else {
      content.facts = [.init("text", .text(text.count > 2_000 ? text.prefix(2_000) + "…" : text))]
      return
    }
    content.kind = .propertyList
    let texts = file.texts.map { FileContent.Fact($0.key, .text($0.value)) }
    let groups = file.groups.map { group in
      FileContent.Fact(
        group.key,
        .group(group.value.sorted { $0.key < $1.key }.map { .init($0.key, .text($0.value)) }))
    }
    content.facts = (texts + groups).sorted { $0.name < $1.name }
  }

  private static func isText(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" || $0 == "\r" || $0 == "\t" }
  }

  /// A vector, a wrapped key and a code stand around whole blocks of a cipher: `Docs/Formats/ClassicContainer.md`.
  private static func mayBeClassicContainer(_ count: Int) -> Bool {
    count >= ClassicContainer.minimumSize && count % 16 == 0
  }

  private static let limits = DecodingLimits(
    bytes: 64 << 20, objects: 1_000_000, depth: 100, unfoldedSize: 2_000_000)
}

extension KeyFile.Slot.Kind {
  fileprivate var words: String {
    switch self {
    case .password: "password"
    case .recoveryCode: "recovery code"
    }
  }
}
