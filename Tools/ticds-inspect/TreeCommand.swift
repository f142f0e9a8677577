import ChangeTracking
import CommandLineTool
import Inspection

/// `tree`: every file, and what it is.
enum TreeCommand {
  static let command = RemoteParameters.command(
    "tree", "Shows every file on the remote and what it is."
  ) { inspector, arguments, console in
    var unlisted = 0
    do {
      if try arguments[RemoteParameters.json] {
        try await printJSON(inspector, &unlisted, console)
      } else {
        try await printText(
          inspector, DisplayText.printable(try arguments[RemoteParameters.remote]), &unlisted, console)
      }
    } catch is Enough {}
    guard unlisted > 0 else { return .success }
    let folders = Amount.text(unlisted, "folder", "folders")
    console.complain("ticds-inspect: \(folders) cannot be listed, and what lies there is not known.")
    return .incomplete
  }

  /// A password that opens nothing is told before anything is written.
  private static func printText(
    _ inspector: RemoteInspector, _ name: String, _ unlisted: inout Int, _ console: Console
  ) async throws {
    var pace = OutputPace()
    var isBegun = false
    try await inspector.walk(openingFirst: true) { node, isLast, facts in
      if !isBegun { console.print(name) }
      isBegun = true
      if node.failure != nil { unlisted += 1 }
      console.print(line(node, isLast, facts, console))
      if pace.isDue { console.show() }
      if !console.hasReader { throw Enough() }
    }
    if !isBegun { console.print(name) }
  }

  /// Each entry is written when it has been listed, so that memory does not grow with the remote. As in ``printText(_:_:_:_:)``, the password
  /// is tried first.
  private static func printJSON(
    _ inspector: RemoteInspector, _ unlisted: inout Int, _ console: Console
  ) async throws {
    var text = JSONTreeText(nestedAs: "children")
    var places: [String] = []
    try await inspector.walk(openingFirst: true) { node, isLast, facts in
      let depth = isLast.count - 1
      if node.failure != nil { unlisted += 1 }
      places.removeLast(max(0, places.count - depth))
      places.append(node.name)
      console.write(
        text.next(
          members(node, at: places.joined(separator: "/"), facts), depth: depth, hasList: node.isFolder))
      if !console.hasReader { throw Enough() }
    }
    console.write(text.finish())
  }

  /// Whoever reads has left, and does not wait for the rest.
  private struct Enough: Error {}

  private static func line(
    _ node: RemoteNode, _ isLast: [Bool], _ facts: RemoteFacts, _ console: Console
  ) -> String {
    let indent = isLast.dropLast().map { $0 ? "    " : "│   " }.joined()
    let plain = DisplayText.printable(node.name) + (node.isFolder ? "/" : "")
    let emphasis: Emphasis? =
      node.failure != nil ? .bad : node.role == .foreign ? .caution : node.isFolder ? .folder : nil
    let name = emphasis.map { console.colored(plain, $0) } ?? plain
    let words = describe(node, facts)
    let size = node.isFolder ? "" : node.size.map { " \(ByteSize.text($0))" } ?? ""
    let note = words.isEmpty ? "" : "  \(words.joined(separator: ", "))"
    return "\(indent)\(isLast.last == true ? "└── " : "├── ")\(name)\(size)\(note)"
  }

  private static func describe(_ node: RemoteNode, _ facts: RemoteFacts) -> [String] {
    var words: [String]
    switch node.role {
    case .folder: words = []
    case .client(let identifier): words = ["device \(facts.name(ofClient: identifier))"]
    case .founding(let name):
      words = [node.role.words, name.key.map { "encrypted with key \($0)" } ?? "not encrypted"]
    case .wrappedKey(let name): words = ["key \(name.key) for whoever has key \(name.wrapping)"]
    case .withdrawal(let name): words = ["slot \(name.slot) of key \(name.key) opens nothing any more"]
    case .author(let author): words = ["sets of \(facts.name(of: author))"]
    case .set(let name, let author): words = ["set \(name.sequence) of \(facts.name(of: author))"]
    case .head(let head):
      words = ["head of \(facts.name(of: head.author)): pushed \(head.sequence), seen \(head.seen)"]
    case .request(let request):
      switch request.subject {
      case .set(let author, let sequence):
        words = ["\(facts.name(of: request.asker)) asks for set \(sequence) of \(facts.name(of: author))"]
      case .value: words = ["\(facts.name(of: request.asker)) asks for a long value"]
      }
    case .mention(let mention):
      words = ["somebody has merged set \(mention.set.sequence) of \(facts.name(of: mention.author))"]
    case .supersession(let statement):
      let author = facts.name(of: statement.author)
      words = ["\(author) has said again sets of \(statement.former) up to \(statement.through)"]
    case .floor(let floor):
      let author = facts.name(of: floor.author)
      words = [
        floor.phase == .inForce
          ? "\(author) says that \(floor.total) sets need not be here, because whole stores contain them"
          : "\(author) announces that \(floor.total) sets are to be removed"
      ]
    case .removal(let removal): words = ["\(facts.name(of: removal.author)) was removed from the document"]
    case .deviceName(let name): words = ["says what \(facts.name(of: name.author)) is called"]
    case .wholeStore(let store):
      words = ["whole store of \(facts.name(of: store.author)): \(store.total) sets"]
    case .foreign: words = ["FOREIGN: \(node.role.words)"]
    case .application, .readMe, .deviceInformation, .keyFile, .document, .documentInformation, .acceptance,
      .longValue, .deletion, .serverTest:
      words = [node.role.words]
    }
    if let isSealed = node.path.flatMap({ facts.sealed[$0] }) {
      words.append(isSealed ? "encrypted" : "not encrypted")
    }
    if let failure = node.failure { words.append("CANNOT BE LISTED: \(failure.description)") }
    return words
  }

  /// What is said of an entry, but of what lies below it.
  private static func members(_ node: RemoteNode, at place: String, _ facts: RemoteFacts) -> [JSONValue
    .Member]
  {
    var members: [JSONValue.Member] = [
      .init("version", 1), .init("path", .string(place)),
      .init("kind", .string(node.isFolder ? "folder" : "file")),
      .init("role", .string(node.role.keyword)), .init("size", node.size.map { .integer($0) } ?? .null),
    ]
    switch node.role {
    case .set(let name, let author):
      members += [
        .init("author", .string(author.description)), .init("client", facts.json(of: author)),
        .init("sequence", .integer(Int64(name.sequence))),
      ]
    case .head(let head):
      members += [
        .init("author", .string(head.author.description)), .init("client", facts.json(of: head.author)),
        .init("sequence", .integer(Int64(head.sequence))), .init("seen", .integer(Int64(head.seen))),
      ]
    case .author(let author): members.append(.init("client", facts.json(of: author)))
    default: break
    }
    if let isSealed = node.path.flatMap({ facts.sealed[$0] }) {
      members.append(.init("encrypted", .boolean(isSealed)))
    }
    if let failure = node.failure { members.append(.init("failure", .string(failure.description))) }
    return members
  }
}
