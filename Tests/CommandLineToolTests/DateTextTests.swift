import CommandLineTool
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
      (-63_113_904_000, "0001-01-01T00:00:00.000Z"), (-15_810_076_800, "1500-01-01T00:00:00.000Z"),
      (-13_197_600_000, "1582-10-15T00:00:00.000Z"), (-13_197_600_001, "1582-10-14T23:59:59.000Z"),
      (252_423_993_599, "9999-12-31T23:59:59.000Z"), (-0.0, "2001-01-01T00:00:00.000Z"),
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

  @Test(
    arguments: [
      (.nan, "nan"), (.infinity, "inf"), (-.infinity, "-inf"), (1e12, "1000000000000.0"),
      (-1e12, "-1000000000000.0"), (1e300, "1e+300"), (-.greatestFiniteMagnitude, "-1.7976931348623157e+308"),
      (-1e11, "-100000000000.0"), (252_423_993_600, "252423993600.0"), (-63_113_904_001, "-63113904001.0"),
    ] as [(Double, String)])
  func `a number outside of the years 1 to 9999 is told as a number, for programs would read another year`(
    seconds: Double, number: String
  ) {
    #expect(DateText.text(seconds) == nil)
    #expect(DateText.words(seconds) == "\(number) seconds since 2001")
    #expect(DateText.wholeSecond(seconds) == "\(number) seconds since 2001")
  }

  @Test(arguments: [1e-300, -1e-300, .leastNonzeroMagnitude] as [Double])
  func `a number too close to 2001 to be written out is told as a number, and as a second`(seconds: Double) {
    #expect(DateText.text(seconds) == nil)
    #expect(DateText.words(seconds) == "\(seconds) seconds since 2001")
    #expect(
      DateText.wholeSecond(seconds) == (seconds < 0 ? "2000-12-31T23:59:59Z" : "2001-01-01T00:00:00Z"))
  }

  @Test(
    arguments: [
      (0.999, "2001-01-01T00:00:00Z"), (-0.001, "2000-12-31T23:59:59Z"),
      (-13_197_600_000.5, "1582-10-14T23:59:59Z"), (-63_113_904_000, "0001-01-01T00:00:00Z"),
      (252_423_993_599.5, "9999-12-31T23:59:59Z"),
    ] as [(Double, String)])
  func `a second has begun until the next begins, before 2001 too`(seconds: Double, text: String) {
    #expect(DateText.wholeSecond(seconds) == text)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_001, "1970-01-01T00:00:01.001Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
      (253_402_300_800_000, "253402300800000 milliseconds since 1970"),
      (.max, "18446744073709551615 milliseconds since 1970"),
    ] as [(UInt64, String)])
  func `a clock's time is told to the millisecond, and after the year 9999 as a number`(
    milliseconds: UInt64, text: String
  ) {
    #expect(DateText.words(milliseconds: milliseconds) == text)
    #expect(DateText.wholeSecond(milliseconds: milliseconds).prefix(19) == text.prefix(19))
    #expect(
      DateText.month(milliseconds: milliseconds) == (text.hasSuffix("Z") ? String(text.prefix(7)) : nil))
  }

  @Test func `every day of ten thousand years is followed by the next, by the rules of one calendar`() {
    var (year, month, day) = (1, 1, 1)
    for index in 0..<3_652_059 {
      if index.isMultiple(of: 13) || day > 27 {
        let text = DateText.wholeSecond(-63_113_904_000 + Double(index) * 86_400)
        guard text == Self.text(year, month, day) else {
          Issue.record("\(text) is not \(year)-\(month)-\(day)")
          return
        }
      }
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      day += 1
      if day > lengths[month - 1] { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }
    #expect(year == 10_000)
  }

  private static func text(_ year: Int, _ month: Int, _ day: Int) -> String {
    func digits(_ number: Int, _ count: Int) -> String { String(String(number + 100_000).suffix(count)) }
    return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T00:00:00Z"
  }

  @Test(arguments: [
    "", "2001", "2001-01", "2001-13-01", "2001-01-32", "201-01-01", "2001-01-01T", "2001-01-01T1",
    "2001-01-01Tnan:1",
    "2001-01-01T00:00:00.", "2001-01-01T00:00:00.x", "2001-01-01T00:00:0x", "2001-01-01T1.5:00", "+001-01-01",
    "2001-02-29", "1900-02-29", "2001-04-31", "2001-00-01", "2001-01-00", "2001-01-01T24:00",
    "2001-01-01T00:60",
    "2001-01-01T00:00:61", "12001-01-01", "-0001-01-01",
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
