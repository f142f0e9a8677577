import CommandLineTool
import Foundation
import StoreAccess

/// A note as `export` writes it and `import` reads it: with the identifier that it has on every device.
struct NoteRecord: Equatable {
  var syncID: String
  var title: String
  var content: String
  var tags: [String]
  /// Seconds since 2001.
  var created: Double?
  var modified: Double?
  /// What was still on its way when the note was exported, so that something older, or nothing, is written in its place.
  var notArrived: Set<String> = []
}

extension NoteRecord {
  /// - Parameter awaited: the properties whose values have not arrived.
  init(_ note: Note, awaited: [String: Int]?) {
    self.init(
      syncID: note.syncID, title: note.title, content: note.content, tags: note.tagNames,
      created: note.created?.timeIntervalSinceReferenceDate,
      modified: note.modified?.timeIntervalSinceReferenceDate, notArrived: Set((awaited ?? [:]).keys))
  }

  /// What is exported of a note.
  var json: JSONValue {
    func text(_ date: Double?) -> JSONValue { date.map { ValueJSON.json(.date($0), .date) } ?? .null }
    return [
      "syncID": .string(syncID), "title": .string(title), "content": .string(content),
      "tags": .array(tags.map { .string($0) }),
      "notArrived": .array(notArrived.sorted().map { .string($0) }), "created": text(created),
      "modified": text(modified),
    ]
  }
}

/// All notes of a notebook in one JSON file.
struct NoteArchive {
  /// Version of the file's layout.
  static let version = 1
  /// Greatest size of a file that is read, in bytes: it is held in memory, with the notes.
  static let sizeLimit = 256 << 20
  /// Greatest length of an identifier, in bytes.
  static let identifierLimit = 128

  var notes: [NoteRecord]

  var json: JSONValue {
    ["version": .integer(Int64(Self.version)), "notes": .array(notes.map(\.json))]
  }

  init(notes: [NoteRecord]) { self.notes = notes }

  /// Reads a file that `export` wrote, or another program.
  ///
  /// - Throws: `JSONDocument.Failure` with the line at which something is wrong. Unknown keys are passed over.
  init(_ bytes: [UInt8]) throws(JSONDocument.Failure) {
    let root = try JSONDocument(bytes).root
    guard case .object = root.content, case .array(let nodes)? = root["notes"]?.content else {
      throw .init(line: root.line, "it is no object with a list of “notes”, as “notebook export” writes it")
    }
    guard case .number(let version)? = root["version"]?.content, version == "\(Self.version)" else {
      throw .init(
        line: root["version"]?.line ?? root.line,
        "its “version” is not \(Self.version), which is all that is known")
    }
    notes = []
    var seen: Set<String> = []
    for node in nodes {
      let note = try NoteRecord(node)
      guard seen.insert(note.syncID.uppercased()).inserted else {
        throw .init(line: node.line, "the note “\(note.syncID)” comes twice")
      }
      notes.append(note)
    }
  }
}

extension NoteRecord {
  fileprivate init(_ node: JSONDocument.Node) throws(JSONDocument.Failure) {
    guard case .object = node.content else { throw .init(line: node.line, "a note is no object") }
    let syncID = try Self.text("syncID", of: node)
    guard (1...NoteArchive.identifierLimit).contains(syncID.utf8.count),
      syncID.unicodeScalars.allSatisfy({ (0x21...0x7e).contains($0.value) })
    else {
      throw .init(
        line: node["syncID"]?.line ?? node.line,
        "a “syncID” is not of 1 to \(NoteArchive.identifierLimit) ASCII characters without spaces")
    }
    self.init(
      syncID: syncID, title: try Self.text("title", of: node), content: try Self.text("content", of: node),
      tags: try Self.texts("tags", of: node), created: try Self.date("created", of: node),
      modified: try Self.date("modified", of: node),
      notArrived: Set(try Self.texts("notArrived", of: node, allowsEmpty: true)))
  }

  private static func text(_ key: String, of node: JSONDocument.Node) throws(JSONDocument.Failure) -> String {
    guard let member = node[key] else { throw .init(line: node.line, "a note lacks its “\(key)”") }
    guard case .string(let text) = member.content else {
      throw .init(line: member.line, "“\(key)” is no text")
    }
    guard text.utf8.count <= TextFile.sizeLimit else {
      throw .init(line: member.line, "“\(key)” is larger than \(TextFile.sizeLimit >> 20) MiB")
    }
    return text
  }

  private static func texts(
    _ key: String, of node: JSONDocument.Node, allowsEmpty: Bool = false
  ) throws(JSONDocument.Failure) -> [String] {
    guard let member = node[key] else { return [] }
    guard case .array(let nodes) = member.content else {
      throw .init(line: member.line, "“\(key)” is no list")
    }
    var texts: [String] = []
    for node in nodes {
      guard case .string(let text) = node.content, allowsEmpty || !text.isEmpty else {
        throw .init(line: node.line, "an element of “\(key)” is no text that says something")
      }
      texts.append(text)
    }
    return texts
  }

  private static func date(_ key: String, of node: JSONDocument.Node) throws(JSONDocument.Failure) -> Double?
  {
    guard let member = node[key] else { return nil }
    switch member.content {
    case .null: return nil
    case .string(let text):
      // What could not be written again in the same way is none.
      if let seconds = DateText.seconds(text), DateText.text(seconds) != nil { return seconds }
    default: break
    }
    // Programs that count otherwise than in seconds since 2001 give numbers for which there are texts.
    if let seconds = number(member), DateText.text(seconds) == nil { return seconds }
    throw .init(line: member.line, "“\(key)” is no time such as 2026-01-31T12:00:00.000Z")
  }

  /// A number as `export` writes those of dates that have no text.
  private static func number(_ node: JSONDocument.Node) -> Double? {
    switch node.content {
    case .number(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
    case .string("Infinity"): .infinity
    case .string("-Infinity"): -.infinity
    default: nil
    }
  }
}
