/// A day of the proleptic Gregorian calendar, which counts all years as we count ours; that is the calendar of ISO 8601.
///
/// The arithmetic is that of Howard Hinnant's "chrono-compatible low-level date algorithms": years begin in March, eras of 400 years have
/// 146,097 days.
struct CivilDate {
  let year: Int64
  let month: Int64
  let day: Int64

  /// A day that the calendar has; `nil` for a 30 February.
  init?(year: Int64, month: Int64, day: Int64) {
    guard (1...12).contains(month), (1...Self.length(ofMonth: month, year)).contains(day) else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// The day that is so many days after 1970-01-01.
  init(days: Int64) {
    let (era, dayOfEra) = (days + 719_468).floorDivided(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
  }

  /// Days since 1970-01-01.
  var days: Int64 {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).floorDivided(by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func length(ofMonth month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Int64 {
  /// The quotient, rounded down, and what is left, which is not negative.
  func floorDivided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let remainder = ((self % divisor) + divisor) % divisor
    return ((self - remainder) / divisor, remainder)
  }
}
