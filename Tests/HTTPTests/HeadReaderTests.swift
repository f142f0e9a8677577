import Testing

@testable import TICDSHTTP

@Suite struct HeadReaderTests {
  private func head(_ lines: String...) -> HTTPHead? {
    var reader = HeadReader()
    for line in lines { reader.read(line + "\r\n") }
    return reader.head
  }

  @Test(arguments: ["HTTP/1.1 207 Multi-Status", "HTTP/1.1 207", "HTTP/2 207 ", "HTTP/1.0  207 x y"])
  func `the status is the number, whatever follows`(_ line: String) {
    #expect(head(line)?.status == 207)
  }

  @Test func `of several heads the last counts, and fields are without the blanks around them`() {
    let head = head("HTTP/1.1 100 Continue", "a: 1", "", "HTTP/1.1 200 OK", "ETag:\t\"x: y\"  ", "Empty:", "")
    #expect(head?.status == 200 && head?["a"] == nil)
    #expect(head?["etag"] == "\"x: y\"" && head?["empty"] == "")
  }

  @Test func `fields after the body say nothing, whatever they are called`() {
    for trailer in ["HTTP/1.1: 404", "HTTP/1.1 404 Gone", "ETag: y"] {
      let head = head("HTTP/1.1 207 x", "ETag: x", "", trailer, "Retry-After: 1", "")
      #expect(head?.status == 207 && head?["etag"] == "x" && head?["retry-after"] == nil)
    }
  }

  @Test func `the answer to a request that is sent again replaces the first`() {
    var reader = HeadReader()
    for line in ["HTTP/1.1 401 x", "a: 1", "", "HTTP/1.1 200 x", ""] { reader.read(line + "\r\n") }
    #expect(reader.head?.status == 401)
    reader.expectAnswer()
    for line in ["HTTP/1.1 200 x", "b: 1", ""] { reader.read(line + "\r\n") }
    #expect(reader.head?.status == 200 && reader.head?["a"] == nil)
  }
}
