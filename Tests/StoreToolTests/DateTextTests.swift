import StoreAccess
import Testing

/// Dates as text, which is the same number when it is read again.
@Suite struct DateTextTests {
  @Test(
    arguments: [
      (0, "2001-01-01T00:00:00.000Z"), (0.5, "2001-01-01T00:00:00.500Z"), (-0.25, "2000-12-31T23:59:59.750Z"),
      (325_252_800.5, "2011-04-23T12:00:00.500Z"), (-978_307_200, "1970-01-01T00:00:00.000Z"),
      (723_485_158.135948, "2023-12-05T16:05:58.135948Z"),
      (723_485_158.1359481, "2023-12-05T16:05:58.1359481Z"),
      (0.00001, "2001-01-01T00:00:00.000010Z"), (-0.0000001, "2000-12-31T23:59:59.9999999Z"),
      (1.5e-7, "2001-01-01T00:00:00.00000015Z"), (63_113_904_000, "4001-01-01T00:00:00.000Z"),
      (-63_113_904_000, "0001-01-01T00:00:00.000Z"),
    ] as [(Double, String)])
  func `a date has as many digits as tell it from its neighbours`(seconds: Double, text: String) {
    #expect(DateText.text(seconds) == text)
    #expect(DateText.seconds(text) == seconds)
  }

  @Test func `every date is the same number when its text is read again`() {
    var random = Numbers(state: 20_010_101)
    for _ in 0..<20_000 {
      let bits = random.next()
      let scale = [1, 1e3, 1e6, 1e9, 1e10][Int(bits % 5)]
      let seconds = (Double(bits >> 11) / Double(1 << 53) * 2 - 1) * scale
      guard let text = DateText.text(seconds) else { continue }
      #expect(DateText.seconds(text) == seconds, "\(seconds): \(text)")
      #expect(DateText.text(seconds.nextUp) != text, "\(seconds)")
    }
  }

  @Test(arguments: [Double.nan, .infinity, 1e12, -1e11, 1e-300, .leastNonzeroMagnitude])
  func `a number that is no date of ours has no text`(seconds: Double) {
    #expect(DateText.text(seconds) == nil)
  }

  @Test(arguments: [
    "", "2001", "2001-01", "2001-13-01", "2001-01-32", "201-01-01", "2001-01-01T", "2001-01-01T1",
    "2001-01-01Tnan:1",
    "2001-01-01T00:00:00.", "2001-01-01T00:00:00.x", "2001-01-01T00:00:0x", "2001-01-01T1.5:00", "+001-01-01",
    "2001-01-01T00:00:00.\(String(repeating: "1", count: 500))", "2001-01-01T00:00:inf",
  ])
  func `a text that is no date is none`(text: String) {
    #expect(DateText.seconds(text) == nil)
  }

  /// The same numbers each time.
  private struct Numbers {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }
}
