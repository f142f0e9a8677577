import Testing

@testable import TICDSHTTP

@Suite struct RetryAfterTests {
  @Test(arguments: [
    ("120", 120), ("0", 0), ("99999999999999999999", 86_400), ("Sun, 06 Nov 1994 08:49:47 GMT", 10),
    ("Sunday, 06-Nov-94 08:49:47 GMT", 10), ("Sun Nov  6 08:49:47 1994", 10),
    ("Sun, 06 Nov 1994 08:00:00 GMT", 0), ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400),
  ])
  func `a pause is told in seconds or as a date`(_ value: String, _ seconds: Int) {
    let head = HTTPHead(
      status: 503, fields: [("retry-after", value), ("Date", "Sun, 06 Nov 1994 08:49:37 GMT")])
    #expect(RetryAfter.pause(in: head, now: 0) == .seconds(seconds))
  }

  @Test(arguments: ["", "-1", "soon", "1.5", "Sun, 99 Nov 1994 08:49:47 GMT"])
  func `what is neither says nothing`(_ value: String) {
    #expect(RetryAfter.pause(in: HTTPHead(status: 503, fields: [("Retry-After", value)]), now: 0) == nil)
  }

  @Test func `dates are those of the calendar`() {
    #expect(HTTPDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
    #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    #expect(HTTPDate.seconds("Thu, 29 Feb 2024 12:00:00 GMT") == 1_709_208_000)
    #expect(HTTPDate.seconds("1994-11-06T08:49:37Z") == 784_111_777)
    #expect(HTTPDate.seconds("1994-11-06t08:49:37.25z") == 784_111_777)
    for text in ["1994-11-06T08:49:37", "1994-11-06T08:49:37.Z", "1994-11-06 08:49:37Z", "Z", "1"] {
      #expect(HTTPDate.seconds(text) == nil)
    }
  }
}
