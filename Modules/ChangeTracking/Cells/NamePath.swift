import TICDSSQLite

/// What somebody calls an entity or property, with what he knows that it was called before.
///
/// The present name comes first, then the former ones, the latest first. An empty former name says that there is none though
/// something else bore the name before.
struct NamePath: Hashable {
  let names: [String]

  /// As many names as a set may tell.
  private init(names: some Collection<String>) { self.names = Array(names.prefix(SetLimits.formerNames + 1)) }

  init(_ name: String, _ formerNames: [String] = []) { self.init(names: [name] + formerNames) }

  var name: String { names.first ?? "" }
  var formerNames: [String] { Array(names.dropFirst()) }
  /// All names, the first that is known before the later ones.
  var namesByAge: [String] { names.reversed().filter { !$0.isEmpty } }

  /// The same thing before it got its present name, and before that, and so on.
  var formerPaths: [NamePath] { partStarts.dropFirst().map(part) }

  /// The path and its ``formerPaths``.
  var allPaths: [NamePath] { partStarts.map(part) }

  /// Where each of ``allPaths`` begins.
  var partStarts: [Int] { [0] + names.indices.dropFirst().filter { !names[$0].isEmpty } }

  /// One of ``allPaths``, by where it begins. Each is a copy, so a path of many names has few of them made that are not needed.
  func part(from start: Int) -> NamePath { start == 0 ? self : NamePath(names: names[start...]) }

  /// Whether both may be one thing of which the other path tells less. What something else was called before is not that.
  func begins(with other: NamePath) -> Bool {
    names.starts(with: other.names)
      && (names.count == other.names.count || !names[other.names.count].isEmpty)
  }

  /// The path, continued by what another one tells of older names.
  func extended(by other: NamePath) -> NamePath? {
    for known in allPaths where other.names.count > known.names.count && other.begins(with: known) {
      return NamePath(names: names + other.names.dropFirst(known.names.count))
    }
    return nil
  }

  /// Whether the thing had a name that it has not any more.
  func wasCalled(_ former: String) -> Bool { former != name && formerNames.contains(former) }

  /// The path of something new that bears the name which something else had before.
  var afterAnother: NamePath { formerNames.isEmpty ? NamePath(name, [""]) : self }

  /// The path after the thing got another name. One that it had before it has again, as devices know it that have it still: a store may be brought
  /// back to an earlier version.
  func renamed(to name: String) -> NamePath {
    if let index = names.firstIndex(of: name) { return NamePath(names: names[index...]) }
    return NamePath(names: [name] + names)
  }

  // MARK: The file

  /// The names, each after its length.
  var stored: [UInt8] {
    var bytes: [UInt8] = []
    for name in names { bytes.appendText(name) }
    return bytes
  }

  /// - Throws: ``ReplicaError`` with `damagedBookkeeping`.
  init(stored bytes: [UInt8], in connection: Connection) throws(ReplicaError) {
    let names = bytes.withUnsafeBytes { buffer -> [String]? in
      var reader = SetReader(buffer)
      var names: [String] = []
      while !reader.isAtEnd {
        guard let name = try? reader.text(limit: .max) else { return nil }
        names.append(name)
      }
      return names
    }
    guard let names else {
      throw .damagedBookkeeping(path: connection.path, "A name cannot be read.")
    }
    self.names = names
  }
}

extension NamePath {
  /// What was known of something, and what the model says of it now.
  func joined(with declared: NamePath) -> NamePath {
    name == declared.name ? completed(by: declared) : declared.completed(by: self)
  }

  /// The path with all that others tell of what came before it.
  func completed(by others: [NamePath]) -> NamePath {
    others.reduce(self) { $0.completed(by: $1) }
  }

  /// The path with what another one tells of what came before it.
  func completed(by other: NamePath) -> NamePath {
    if other.begins(with: self) { return other }
    return extended(by: other) ?? self
  }
}
