import Testing

@testable import HTTP

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
}
