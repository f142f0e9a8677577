import ChangeTracking
import Foundation
import SyncProtocol
import Testing

@testable import Inspection
@testable import InspectionReport

@Suite struct ReportModelTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let author = AuthorID(bits: 1)

  /// A set with changes of one object, the last of them at the time.
  private func set(
    _ sequence: UInt64, at milliseconds: UInt64, changes: Int = 1, size: Int64 = 10
  ) throws -> InspectedSet {
    let content = ChangeSet(
      author: Self.author, client: "client", sequence: sequence, previous: nil, model: "",
      entities: [EntityNames(name: "Note", root: "Note", properties: [])],
      changes: (0..<changes).map { index in
        .init(
          entity: 0, object: SyncID("object-\(index)"), time: LogicalTime(milliseconds: milliseconds),
          action: .delete)
      })
    let path = try #require(RemotePath("notes/Documents/d/SyncChanges/\(Self.author)/\(sequence)"))
    return InspectedSet(
      document: "d", author: Self.author,
      name: SetName(sequence: sequence, hash: ContentHash(of: Array("\(sequence)".utf8))), path: path,
      size: size,
      result: .success(content))
  }

  private func words(_ set: InspectedSet) throws -> ReportSet {
    try #require(ReportSet(set, application: "notes"))
  }

  @Test func `all sets are counted in periods between the first and the last`() throws {
    var activity = DocumentActivity()
    for index in 0..<1_000 {
      let set = try set(UInt64(index + 1), at: 1_700_000_000_000 + UInt64(index) * 60_000)
      activity.add(set, now: Self.now)
    }
    let timeline = try #require(Timeline(activity))
    let total = timeline.total
    #expect(total.count == Timeline.count)
    #expect(total.reduce(0) { $0 + $1.sets } == 1_000)
    #expect(total.reduce(0) { $0 + $1.bytes } == 10_000)
    #expect(try #require(total.first).sets > 0 && #require(total.last).sets > 0)
  }

  @Test(
    arguments: [
      (-63_113_904_000, "0001-01-01 00:00:00"), (-15_810_076_799.5, "1500-01-01 00:00:00"),
      (-13_197_600_000, "1582-10-15 00:00:00"), (252_423_993_599, "9999-12-31 23:59:59"),
      (1e300, "1e+300 seconds since 2001"), (.nan, "nan seconds since 2001"),
    ] as [(Double, String)])
  func `dates are shown by the calendar of exports`(seconds: Double, text: String) {
    #expect(Wording.time(secondsSince2001: seconds) == text)
  }

  @Test(
    arguments: [
      (1_000_999, "1970-01-01 00:16:40"), (.max, "18446744073709551615 milliseconds since 1970"),
    ] as [(UInt64, String)])
  func `times of clocks are shown to the second`(milliseconds: UInt64, text: String) {
    #expect(Wording.time(milliseconds: milliseconds) == text)
  }

  @Test(arguments: [0, 1, (1 << 47) - 1])
  func `a time that cannot be is left out and counted`(milliseconds: UInt64) throws {
    var activity = DocumentActivity()
    activity.add(try set(1, at: milliseconds), now: Self.now)
    activity.add(try set(2, at: 1_700_000_000_000, size: .max), now: Self.now)
    activity.add(try set(3, at: 1_700_000_000_000, size: .max), now: Self.now)
    #expect(activity.implausible == 1)
    let timeline = try #require(Timeline(activity))
    #expect(timeline.total.reduce(0) { $0 + $1.sets } == 2)
    #expect(timeline.total.map(\.bytes).max() == .max)
  }

  @Test func `of many sets the newest are kept, whatever order they come in`() throws {
    var recent = RecentSets()
    var order = Array(UInt64(1)...5_000)
    var generator = SystemRandomNumberGenerator()
    order.shuffle(using: &generator)
    for sequence in order {
      recent.add(try words(set(sequence, at: 1_700_000_000_000 + sequence)))
    }
    #expect(recent.newest.map(\.sequence) == (4_701...5_000).reversed())
  }

  @Test func `of many changes of a set the first are kept and the others counted`() throws {
    var recent = RecentSets()
    recent.add(try words(set(1, at: 1_700_000_000_000, changes: 10_000)))
    let kept = try #require(recent.newest.first)
    #expect(kept.changes.count == RecentSets.changeLimit)
    #expect(kept.hiddenChanges == 10_000 - RecentSets.changeLimit)
  }

  @Test func `a folder shows some of its files and the amount of all`() {
    var node = RemoteNode(name: "", path: .root, role: .folder, size: nil, isFolder: true)
    node.children = (0..<10_000).map {
      RemoteNode(name: "\($0)", path: nil, role: .foreign, size: .max, isFolder: false)
    }
    let folder = ReportFolder(node)
    #expect(folder.amount == .init(files: 10_000, bytes: .max))
    #expect(folder.files.count + folder.hiddenFiles == 10_000)
    #expect(HierarchySection(root: folder).markup.source.utf8.count < 100_000)
  }

  @Test func `a page of everything at its limits is smaller than ten megabytes`() throws {
    var recent = RecentSets()
    for sequence in 1...UInt64(RecentSets.limit) {
      recent.add(
        try words(set(sequence, at: 1_700_000_000_000 + sequence, changes: RecentSets.changeLimit)))
    }
    var verification = Verification()
    let long = String(repeating: "<", count: 250)
    for index in 0..<100_000 {
      verification.findings.append(
        Finding(.damagedFile, path: "\(index)/\(long)", message: long, next: long))
    }
    let report = RemoteReport(
      remote: "remote", made: Self.now, overview: RemoteOverview(applications: [], foreign: 0),
      verification: verification,
      root: ReportFolder(RemoteNode(name: "", path: .root, role: .folder, size: nil, isFolder: true)),
      activities: [:], newest: recent.newest)
    let html = ReportPage(report).html
    #expect(html.utf8.count < 10_000_000)
    #expect(html.contains("99200 more are not listed here"))
  }
}
