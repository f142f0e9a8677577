import Foundation

/// Values of attributes that allow external storage: the first byte of the column says where the value is.
///
/// 1: the value follows. 2: a file name of 36 characters and a zero byte follow, and the value is the content of that file in
/// the folder `.<store>_SUPPORT/_EXTERNAL_DATA` beside the store.
///
/// A file is written once, under a name of its own, and never changed: a row leads to another file when its value changes.
struct ExternalValues: Sendable {
  /// Values of more bytes get a file of their own.
  static let threshold = 128 * 1024
  private static let referenceLength = 38

  /// The folder beside the store with everything that belongs to it.
  let supportFolder: URL
  /// The folder that holds the values.
  let folder: URL

  init(storePath: String) {
    let store = URL(filePath: storePath)
    let name = store.deletingPathExtension().lastPathComponent
    supportFolder = store.deletingLastPathComponent().appending(path: ".\(name)_SUPPORT")
    folder = supportFolder.appending(path: "_EXTERNAL_DATA")
  }

  // MARK: - Reading

  /// Replaces a column's content by the value that it stands for; `false` if that is in a file which is missing.
  func resolve(_ column: inout AttributeValue) -> Bool {
    guard case .data(let bytes) = column, let marker = bytes.first else { return true }
    if marker == 1 {
      column = .data(Array(bytes.dropFirst()))
    } else if let name = bytes.withUnsafeBytes({ Self.name(in: $0) }) {
      guard let content = content(of: name) else { return false }
      column = .data(content)
    }
    return true
  }

  /// The value that a column's content stands for; `null` if that is in a file which is missing.
  func value(_ column: UnsafeRawBufferPointer) -> AttributeValue {
    if column.first == 1 { return .data(Array(column.dropFirst())) }
    guard let name = Self.name(in: column) else { return .data(Array(column)) }
    return content(of: name).map { .data($0) } ?? .null
  }

  /// Whether a column's content says where the value is.
  func isWellFormed(_ column: AttributeValue) -> Bool {
    guard case .data(let bytes) = column, let marker = bytes.first else { return true }
    return marker == 1 || bytes.withUnsafeBytes { Self.name(in: $0) } != nil
  }

  /// The longest file that is read, in bytes: memory holds no longer value.
  static let sizeLimit = 1 << 30

  /// What a file holds; `nil` if it cannot be read, is too long, or is none: a device or a pipe might never come to an end.
  private func content(of name: String) -> [UInt8]? {
    let file = folder.appending(path: name)
    guard isValue(file), let content = try? Data(contentsOf: file, options: .mappedIfSafe) else { return nil }
    return [UInt8](content)
  }

  /// Whether a file may hold a value; a link to one is none.
  func isValue(_ file: URL) -> Bool {
    guard let found = try? file.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey]) else {
      return false
    }
    return found.isRegularFile == true && found.fileSize ?? 0 <= Self.sizeLimit
  }

  /// Whether files may be made and taken away here: what lies behind a link may belong to others.
  var isOwnFolder: Bool {
    [supportFolder, folder].allSatisfy { place in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: place.path(percentEncoded: false))) == nil
    }
  }

  /// The name of the file that a column leads to; `nil` if it holds the value itself.
  static func name(in column: UnsafeRawBufferPointer) -> String? {
    guard column.count == referenceLength, column.first == 2, column.last == 0 else { return nil }
    let name = String(decoding: UnsafeRawBufferPointer(rebasing: column[1..<37]), as: UTF8.self)
    // The name comes from the file, so it must be what it claims to be before it becomes part of a path.
    return UUID(uuidString: name) == nil ? nil : name
  }

  // MARK: - Writing

  /// The column's content for a value that is stored in place.
  static func column(_ value: AttributeValue) -> AttributeValue {
    guard case .data(let bytes) = value else { return value }
    return .data([1] + bytes)
  }

  /// The column's content for a value. A long one is written to a file, of which `note` gets the name.
  ///
  /// - Throws: ``StoreError`` with `externalFile` or `full`.
  func column(_ bytes: [UInt8], note: (String) -> Void) throws -> [UInt8] {
    if bytes.count <= Self.threshold { return [1] + bytes }
    let name = UUID().uuidString
    note(name)
    try write(bytes, to: name)
    return [2] + Array(name.utf8) + [0]
  }

  /// Writes a file that is on the disk for good when this returns.
  private func write(_ bytes: [UInt8], to name: String) throws {
    let file = folder.appending(path: name)
    do {
      if !FileManager.default.fileExists(atPath: folder.path) {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.synchronize(supportFolder)
        try Self.synchronize(supportFolder.deletingLastPathComponent())
      }
      try Data(bytes).write(to: file, options: .withoutOverwriting)
      try Self.synchronize(file)
      try Self.synchronize(folder)
    } catch {
      let isFull = (error as? CocoaError)?.code == .fileWriteOutOfSpace
      throw StoreError(
        isFull ? .full : .externalFile(error.localizedDescription), path: file.path(percentEncoded: false))
    }
  }

  /// Waits until a file, or the list of a folder's files, is on the disk.
  static func synchronize(_ url: URL) throws {
    let handle = try FileHandle(forReadingFrom: url)
    defer { try? handle.close() }
    try handle.synchronize()
  }

  /// Copies all files with values to another folder, which may hold others.
  func copyFiles(to other: ExternalValues) throws {
    try forEachFile { name, file in
      try Task.checkCancellation()
      try FileManager.default.copyItem(at: file, to: other.folder.appending(path: name))
    } into: {
      try FileManager.default.createDirectory(at: other.folder, withIntermediateDirectories: true)
    }
  }

  /// Moves all files with values to another folder, which may hold others.
  func moveFiles(to other: ExternalValues) throws {
    try forEachFile { name, file in
      try FileManager.default.moveItem(at: file, to: other.folder.appending(path: name))
    } into: {
      try FileManager.default.createDirectory(at: other.folder, withIntermediateDirectories: true)
    }
    if FileManager.default.fileExists(atPath: other.folder.path) { try Self.synchronize(other.folder) }
  }

  private func forEachFile(_ body: (String, URL) throws -> Void, into prepare: () throws -> Void) throws {
    let files = fileNames().map { ($0, folder.appending(path: $0)) }.filter { isValue($0.1) }
    if files.isEmpty { return }
    try prepare()
    for (name, file) in files { try body(name, file) }
  }

  func remove(_ names: some Sequence<String>) {
    guard isOwnFolder else { return }
    for name in names { try? FileManager.default.removeItem(at: folder.appending(path: name)) }
  }

  /// Removes the folders if nothing is in them.
  func removeEmptyFolders() {
    guard isOwnFolder else { return }
    for place in [folder, supportFolder] { rmdir(place.path(percentEncoded: false)) }
  }

  /// The files that are there.
  func fileNames() -> Set<String> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return Set(names.filter { UUID(uuidString: $0) != nil })
  }
}
