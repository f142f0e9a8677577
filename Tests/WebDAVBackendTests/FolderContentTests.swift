import ByteFixtures
import TICDSHTTP
import SyncProtocol
import Testing

@testable import WebDAVBackend
import XMLReading

@Suite struct FolderContentTests {
  private func content(
    _ responses: String, at address: String = "https://h/dav/f/", now: Int64? = nil, trusts: Bool = false
  ) throws -> FolderContent {
    var reader = MultistatusReader()
    try reader.read("<d:multistatus xmlns:d='DAV:'>\(responses)</d:multistatus>".utf8)
    return try FolderContent(
      try reader.finish(), in: try HTTPAddress(address), now: now, trustsETags: trusts)
  }

  private func folder(_ href: String) -> String {
    response(href, "<d:resourcetype><d:collection/></d:resourcetype>")
  }
  private func file(_ href: String, _ more: String = "") -> String {
    response(href, "<d:resourcetype/>" + more)
  }

  private func response(_ href: String, _ properties: String, status: Int = 200) -> String {
    """
    <d:response><d:href>\(href)</d:href><d:propstat><d:prop>\(properties)</d:prop>\
    <d:status>HTTP/1.1 \(status) x</d:status></d:propstat></d:response>
    """
  }

  private func names(_ content: FolderContent) -> [String] { content.listing.entries.map(\.name.description) }

  @Test(arguments: [
    "/dav/f/a.b", "https://h/dav/f/a.b", "http://h:8080/dav/f/a.b", "HTTP://H/dav/f/a.b", "/dav//f/a%2Eb",
    "//h/dav/f/a.b", "/d%61v/%66/a.b", "a.b",
  ])
  func `an entry is found however the server writes its address`(_ href: String) throws {
    #expect(try names(content(folder("/dav/f/") + file(href))) == ["a.b"])
  }

  @Test func `a path means the same as the whole address with that path`() throws {
    var random = SeededGenerator(seed: 7)
    let pieces = [
      "a", "Zz9", "/", "/", "dav", "f", ".", "..", "-", "_", "~", "%2e", "%61", "%", "?", "#", " ", "é",
    ]
    for base in ["https://h/dav/f/", "https://h/", "https://h/dav/f", "https://h/d%61v/"] {
      let folder = try HTTPAddress(base)
      for _ in 0..<300 {
        let tail = (0..<Int.random(in: 0...5, using: &random)).map { _ in
          pieces.randomElement(using: &random) ?? ""
        }
        let path = folder.path + tail.joined()
        guard !path.hasPrefix("//") else { continue }  // What follows is a host.
        #expect(isAlike(Href(path, in: folder), Href("https://h" + path, in: folder)), "\(path) in \(base)")
      }
    }
  }

  /// Whether both mean the same; why a reference is set aside may be said in other words.
  private func isAlike(_ left: Href, _ right: Href) -> Bool {
    if case .strange = left, case .strange = right { return true }
    return left == right
  }

  @Test func `the folder itself is known without its slash`() throws {
    #expect(try names(content(folder("/dav/f") + file("/dav/f/a"))) == ["a"])
  }

  @Test(arguments: [
    "/dav/", "/dav/fx", "/dav/f/a/b", "/", "/dav/f/../g", "https://evil.example/dav/f/b", "//evil.example/b",
    "http://user:secret@h/dav/f/b", "/dav/f/%zz", "/dav/f/%", "/dav/f/%FF%FE", "/dav/f/%C3",
    "/dav/f/%ED%A0%80",
    "http://", "ftp://h/dav/f/b", "h:/dav/f/b",
  ])
  func `a reference to what is no entry of the folder is set aside, and told as it stands`(_ href: String)
    throws
  {
    let content = try content(folder("/dav/f/") + file("/dav/f/a") + file(href) + file("/dav/f/c"))
    #expect(names(content) == ["a", "c"])
    #expect(content.listing.foreign == [href])
  }

  @Test func `references that are set aside are told once each, and no longer than names can be`() throws {
    let long = "/beside/" + String(repeating: "x", count: 5_000)
    let content = try content(folder("/dav/f/") + file(long) + file("/x") + file("/x"))
    #expect(content.listing.foreign == [String(long.prefix(252)) + "…", "/x"])
  }

  @Test func `an entry is found beside references that are none`() throws {
    var reader = MultistatusReader()
    let responses = file("https://evil.example/") + file("/dav/f/%zz") + file("/dav/f/a")
    try reader.read("<d:multistatus xmlns:d='DAV:'>\(responses)</d:multistatus>".utf8)
    let entry = try FolderContent.entry(
      try reader.finish(), named: try #require(RemoteName("a")), at: try HTTPAddress("https://h/dav/f/a"),
      trustsETags: false)
    #expect(entry.kind == .file)
  }

  @Test func `an answer that does not speak of the folder is no empty folder`() {
    #expect(throws: FolderContent.Refusal.self) { try content("") }
    #expect(throws: FolderContent.Refusal.self) { try content(file("/dav/f/a")) }
  }

  @Test func `a folder that is not listed in full is refused`() {
    #expect(throws: FolderContent.Refusal.self) {
      try content(
        folder("/dav/f/") + file("/dav/f/a")
          + "<d:response><d:href>/dav/f/</d:href><d:status>HTTP/1.1 507 x</d:status></d:response>")
    }
  }

  @Test func `a file that is listed as a folder is told apart, and what is absent`() {
    #expect(throws: FolderContent.Refusal.isFile) { try content(file("/dav/f")) }
    #expect(throws: FolderContent.Refusal.absent) {
      try content(response("/dav/f/", "<d:resourcetype/><d:getcontentlength/>", status: 404))
    }
  }

  @Test func `a folder that is listed as a file besides is no file, and the reason is told`() {
    #expect {
      try content(folder("/dav/f/") + file("/dav/f"))
    } throws: { error in
      guard case FolderContent.Refusal.damaged(let reason) = error else { return false }
      return reason.contains("as a folder and as a file")
    }
  }

  @Test func `properties that a server does not have do not hide those that it has`() throws {
    let entry = """
      <d:response><d:href>/dav/f/a</d:href>\
      <d:propstat><d:prop><d:getetag/></d:prop><d:status>HTTP/1.1 404 x</d:status></d:propstat>\
      <d:propstat><d:prop><d:resourcetype/><d:getcontentlength z="1"> 7 </d:getcontentlength></d:prop>\
      <d:status>HTTP/1.1 200 x</d:status></d:propstat></d:response>
      """
    let listing = try content(folder("/dav/f/") + entry).listing
    #expect(listing.entries.first?.size == 7 && listing.entries.first?.kind == .file)
  }

  @Test func `elements of other namespaces do not count`() throws {
    let entry = file("/dav/f/a", "<x:getcontentlength xmlns:x='other'>9</x:getcontentlength>")
    #expect(try content(folder("/dav/f/") + entry).listing.entries.first?.size == nil)
  }

  @Test(arguments: [("W/\"1\"", true), ("\"1\"", false), ("", true), ("1", true)])
  func `a version is told only by a strong ETag that is trusted`(_ etag: String, _ isTrusted: Bool) throws {
    let entry = file("/dav/f/a", "<d:getetag>\(etag)</d:getetag>")
    #expect(try content(folder("/dav/f/") + entry, trusts: isTrusted).listing.entries.first?.version == nil)
    #expect(
      try content(folder("/dav/f/") + file("/dav/f/a", "<d:getetag>\"1\"</d:getetag>"), trusts: true)
        .listing.entries.first?.version == "\"1\"")
  }

  @Test func `names of others are foreign, temporary files are neither, and old ones are told`() throws {
    let temporary = TemporaryName.make()
    let date = "<d:getlastmodified>Sun, 06 Nov 1994 08:49:37 GMT</d:getlastmodified>"
    let responses =
      folder("/dav/f/") + file("/dav/f/a%20b") + file("/dav/f/" + temporary, date) + file("/dav/f/x")
    let young = try content(responses, now: 784_111_777 + 60)
    #expect(young.listing.foreign == ["a b"] && names(young) == ["x"] && young.abandoned == [])
    #expect(try content(responses, now: 784_111_777 + 90_000).abandoned == [temporary])
  }

  @Test func `a document of another kind is no list`() {
    var reader = MultistatusReader()
    #expect(throws: XMLError.self) { try reader.read("<html><body/></html>".utf8) }
  }

  // MARK: - How much is kept

  @Test func `of a name that can be none of ours as much is kept as is told`() throws {
    for name in [String(repeating: "n", count: 8_000), String(repeating: "%C3%A9", count: 1_000)] {
      let content = try content(folder("/dav/f/") + file("/dav/f/" + name) + file("/other/" + name))
      #expect(content.listing.foreign.count == 2 && content.listing.entries.isEmpty)
      #expect(content.listing.foreign.allSatisfy { $0.utf8.count <= 260 && $0.hasSuffix("…") })
    }
  }

  @Test func `a long name is not cut into one of ours, nor into a temporary file`() throws {
    for name in [
      String(repeating: "a", count: 101), TemporaryName.make() + String(repeating: "b", count: 2_000),
    ] {
      let content = try content(folder("/dav/f/") + file("/dav/f/" + name))
      #expect(content.listing.entries.isEmpty && content.abandoned.isEmpty)
      #expect(content.listing.foreign.count == 1)
    }
  }

  @Test func `an ETag that is too long is no version, and a date that is too long is none`() throws {
    let long = String(repeating: "1", count: 2_000)
    let entry = file(
      "/dav/f/a", "<d:getetag>\"\(long)\"</d:getetag><d:getlastmodified>\(long)</d:getlastmodified>")
    let found = try content(folder("/dav/f/") + entry, trusts: true).listing.entries.first
    #expect(found?.name.description == "a" && found?.version == nil && found?.modified == nil)
  }

  @Test func `a listing whose entries hold more than is kept is too long`() throws {
    let response = file("/dav/" + String(repeating: "x/", count: 4_000) + "f")
    var reader = MultistatusReader()
    #expect {
      try reader.read("<d:multistatus xmlns:d='DAV:'>".utf8)
      for _ in 0..<20_000 { try reader.read(response.utf8) }
    } throws: { ($0 as? XMLError)?.isTooLarge == true }
  }

  @Test func `references that share one status count as they come`() throws {
    var reader = MultistatusReader(entries: 1_000)
    #expect {
      try reader.read("<d:multistatus xmlns:d='DAV:'><d:response>".utf8)
      for _ in 0..<2_000 { try reader.read("<d:href>/a</d:href>".utf8) }
    } throws: { ($0 as? XMLError)?.isTooLarge == true }
  }
}
