import ChangeTracking
import Crypto
import SyncProtocol

extension ContentRecognition {
  /// Reads what begins with a magic of ours and is no set.
  func readRecord(_ bytes: [UInt8], _ content: inout FileContent) throws {
    switch String(decoding: bytes.prefix(7).dropFirst(5), as: UTF8.self) {
    case "HD":
      content.kind = .head
      try readHead(bytes, &content)
    case "FR":
      content.kind = .founding
      try readFounding(bytes, &content)
    case "FL":
      content.kind = .floor
      try readFloor(bytes, &content)
    case "SP":
      content.kind = .supersession
      let statement = try Supersession.Content(bytes)
      content.facts = [
        .init("chain", .text("\(statement.chain)")), .init("setCount", .init(statement.sets.count)),
        .init("sets", .list(statement.sets.prefix(Self.listLimit).map { .text("\($0.name)") })),
      ]
    case "WS":
      content.kind = .wholeStore
      let header = try WholeStoreHeader(bytes, limits: WholeStoreLimits())
      content.facts = [.init("length", .init(header.length)), .init("files", .init(Int(header.fileCount)))]
    case "va":
      content.kind = .longValue
      let value = try LongValueFile.decode(
        bytes,
        length: min(
          Self.valueLimit, LongValueFile.inflatedLimit(max(bytes.count - LongValueFile.headSize, 0))))
      let hash = ContentHash(of: value)
      content.valueHash = hash
      content.facts = [.init("length", .init(value.count)), .init("hash", .text("\(hash)"))]
      if let text = String(validating: value, as: UTF8.self) {
        content.facts.append(.init("text", .text(text.count > 2_000 ? text.prefix(2_000) + "…" : text)))
      }
    default: return
    }
  }

  /// Bytes that a long value may inflate to here.
  private static let valueLimit = 256 << 20

  private func readHead(_ bytes: [UInt8], _ content: inout FileContent) throws {
    guard let head = name.flatMap({ HeadName($0) }) else {
      content.problem = "a head is read together with its name, and this is none"
      return
    }
    let found = try HeadCodec.decode(bytes, named: head)
    content.facts = [
      .init("author", .text("\(head.author)")), .init("client", .text(found.client)),
      .init("description", .text(found.clientDescription)), .init("pushed", .init(head.sequence)),
      .init("seen", .init(head.seen)), .init("set", .text(head.set.map { "\($0.name)" } ?? "")),
      .init("published", .time(found.time)), .init("model", .text(found.model)),
      .init("wholeStore", .text(found.wholeStore.map { "\($0)" } ?? "")),
      .init("vector", .init(found.vector)),
    ]
  }

  private func readFloor(_ bytes: [UInt8], _ content: inout FileContent) throws {
    guard let floor = name.flatMap({ HistoryFloor($0) }) else {
      content.problem = "a floor is read together with its name, and this is none"
      return
    }
    content.facts = [
      .init("author", .text("\(floor.author)")), .init("inForce", .flag(floor.phase == .inForce)),
      .init("vector", .init(try floor.content(bytes))),
    ]
  }

  private func readFounding(_ bytes: [UInt8], _ content: inout FileContent) throws {
    let record: FoundingRecord
    do {
      record = try FoundingRecord(bytes, keys: keys)
    } catch let error as CryptoError where error.code == .unknownKey {
      content.isLocked = true
      throw error
    }
    content.facts = [
      .init("application", .text(record.application)), .init("document", .text(record.document)),
      .init("format", .text(record.format)), .init("formatVersion", .init(Int(record.formatVersion))),
      .init("founder", .text(record.creator)), .init("founded", .time(record.time)),
      .init("key", .text(record.key.map { "\($0)" } ?? "")),
      .init("integrityKey", .text("\(record.integrityKey)")),
    ]
  }
}
