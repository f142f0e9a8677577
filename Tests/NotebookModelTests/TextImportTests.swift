import CommandLineTool
import Foundation
import TemporaryFolders
import Testing

@testable import NotebookModel

@Suite struct TextImportTests {
  @Test(arguments: [
    ("# Title", "Title"), ("text\n\n##  Second level  \n# Later", "Second level"), ("# Closed ##", "Closed"),
    ("# C#", "C#"), ("   # Indented", "Indented"), ("#hashtag\n# Real", "Real"), ("# \n# Next", "Next"),
    ("```\n# in code\n```\n# After", "After"), ("# Ünïcode 🙂\r\ntext", "Ünïcode 🙂"),
  ])
  func `a Markdown file is titled by its first heading`(text: String, title: String) {
    #expect(TextFile.heading(of: text, isMarkdown: true) == title)
  }

  @Test(arguments: ["", "no heading", "####### seven", "#", "```\n# only in code"])
  func `a file without a heading keeps its name as title`(text: String) throws {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "a name.v2.md")
      try Data(text.utf8).write(to: file)
      #expect(
        try TextFile(file) == TextFile(title: "a name.v2", content: text, tag: folder.lastPathComponent))
    }
  }

  @Test func `a text file's hashes are no headings, and a byte order mark is no content`() throws {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "n.txt")
      try Data([0xef, 0xbb, 0xbf] + Array("# x".utf8)).write(to: file)
      #expect(try TextFile(file) == TextFile(title: "n", content: "# x", tag: folder.lastPathComponent))
    }
  }

  @Test func `a folder gives its text files in order, tells what it skips, and follows no links`() throws {
    try withTemporaryFolder { folder in
      let inner = folder.appending(path: "inner")
      try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
      for name in ["b.md", "a.TXT", "c.png", ".hidden.md", "inner/d.markdown", "inner/e.text"] {
        try Data(name.utf8).write(to: folder.appending(path: name))
      }
      try FileManager.default.createSymbolicLink(
        at: inner.appending(path: "circle"), withDestinationURL: folder)
      try Data([0xff, 0xfe, 0]).write(to: folder.appending(path: "latin.md"))

      let contents = try TextFolder(path: folder.path).contents()

      #expect(
        contents.files.map { String($0.path.dropFirst(folder.path.count + 1)) } == [
          "a.TXT", "b.md", "inner/d.markdown", "inner/e.text", "latin.md",
        ])
      #expect(contents.skipped.map(\.path) == [inner.appending(path: "circle").path])
      #expect(throws: TextFile.Skipped.self) { try TextFile(folder.appending(path: "latin.md")) }
      #expect(try TextFile(inner.appending(path: "d.markdown")).tag == "inner")
    }
  }

  @Test func `links, and what has a name that is not UTF-8, are told and never left out in silence`() throws {
    try withTemporaryFolder { folder in
      let base = Array(folder.path.utf8CString.dropLast())
      let latin = { (name: [UInt8]) in base + [47] + name.map { CChar(bitPattern: $0) } + [0] }
      #expect(mkdir(latin([0x4d, 0xe4, 0x72, 0x7a]), 0o700) == 0)
      let file = creat(latin([0x42, 0xe4, 0x2e, 0x74, 0x78, 0x74]), 0o600)
      #expect(file >= 0 && close(file) == 0)
      #expect(creat(latin([0x2e, 0xe4]), 0o600) >= 0)
      try Data("kept".utf8).write(to: folder.appending(path: "ok.txt"))
      for (name, target) in [("link.txt", "ok.txt"), ("dangling.md", "nowhere"), ("picture.png", "ok.png")] {
        try FileManager.default.createSymbolicLink(
          atPath: folder.appending(path: name).path, withDestinationPath: target)
      }

      let contents = try TextFolder(path: folder.path).contents()

      #expect(contents.files.map(\.lastPathComponent) == ["ok.txt"])
      #expect(
        contents.skipped.map { "\($0.path.dropFirst(folder.path.count + 1)): \($0.reason)" } == [
          "B\\xE4.txt: its name is not UTF-8", "M\\xE4rz: its name is not UTF-8",
          "dangling.md: it is a link, and links are not followed",
          "link.txt: it is a link, and links are not followed",
        ])
    }
  }

  @Test func `a folder that is missing or a file is named in the failure`() throws {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "f")
      try Data().write(to: file)
      for path in [folder.appending(path: "absent").path, file.path] {
        let failure = #expect(throws: ToolFailure.self) { try TextFolder(path: path) }
        #expect(failure?.status == .notFound)
        #expect(failure?.message.contains(path) == true)
      }
    }
  }
}
