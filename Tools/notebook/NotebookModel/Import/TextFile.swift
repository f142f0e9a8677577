import Foundation

/// A Markdown or text file that becomes a note.
struct TextFile: Equatable {
  /// The first heading, or the file's name.
  let title: String
  /// The whole text.
  let content: String
  /// Name of the folder it lies in.
  let tag: String

  /// Why a file did not become a note.
  struct Skipped: Error, Equatable {
    let path: String
    let reason: String
  }

  static let extensions: Set<String> = ["md", "markdown", "txt", "text"]
  /// A note is held in memory as a whole, and so is the change that carries it.
  static let sizeLimit = 16 * 1024 * 1024

  init(title: String, content: String, tag: String) {
    self.title = title
    self.content = content
    self.tag = tag
  }

  /// Reads a file.
  init(_ file: URL) throws(Skipped) {
    let path = file.path(percentEncoded: false)
    var bytes = try Self.bytes(of: file, path: path)
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes.removeFirst(3) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Skipped(path: path, reason: "it is not UTF-8 text")
    }
    let name = file.deletingPathExtension().lastPathComponent
    self.init(
      title: Self.heading(of: text, isMarkdown: file.pathExtension.lowercased().hasPrefix("m")) ?? name,
      content: text, tag: file.deletingLastPathComponent().lastPathComponent)
  }

  private static func bytes(of file: URL, path: String) throws(Skipped) -> [UInt8] {
    do {
      let handle = try FileHandle(forReadingFrom: file)
      defer { try? handle.close() }
      let data = try handle.read(upToCount: sizeLimit + 1) ?? Data()
      guard data.count <= sizeLimit else {
        throw Skipped(path: path, reason: "it is larger than \(sizeLimit / 1_048_576) MiB")
      }
      return [UInt8](data)
    } catch let skipped as Skipped {
      throw skipped
    } catch {
      throw Skipped(path: path, reason: "it cannot be read")
    }
  }

  /// The first heading of a Markdown text: `# Title`, outside fenced code (CommonMark, sections 4.2 and 4.5).
  static func heading(of text: String, isMarkdown: Bool) -> String? {
    guard isMarkdown else { return nil }
    var isInCode = false
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.drop { $0 == " " }
      if words.hasPrefix("```") || words.hasPrefix("~~~") { isInCode.toggle() }
      let hashes = words.prefix { $0 == "#" }.count
      guard !isInCode, (1...6).contains(hashes), words.dropFirst(hashes).first?.isWhitespace == true else {
        continue
      }
      let title = words.dropFirst(hashes).trimmingCharacters(in: .whitespaces)
      let closed = title.reversed().drop { $0 == "#" }
      // A closing run of # counts only after a space.
      let open = closed.first?.isWhitespace == true ? String(closed.reversed()) : title
      let trimmed = open.trimmingCharacters(in: .whitespaces)
      if !trimmed.isEmpty { return trimmed }
    }
    return nil
  }
}
