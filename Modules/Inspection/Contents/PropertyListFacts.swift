import CoreDataFormats
import ShownText

/// The values of property lists and archives, up to a bound: shared values unfold to more than a person reads.
final class PropertyListFacts {
  /// How many values are told in all.
  private var room = 5_000
  private static let textLimit = 2_000

  /// What a value of a property list says.
  func value(_ list: PropertyList) -> FileContent.Value {
    guard take() else { return .text("…") }
    switch list {
    case .boolean(let flag): return .flag(flag)
    case .integer(let number): return .number(number)
    case .unsigned(let number): return .text("\(number)")
    case .real(let number): return .text("\(number)")
    case .float(let number): return .text("\(number)")
    case .date(let seconds): return .text(DateText.words(seconds))
    case .data(let bytes): return .text("\(bytes.count) bytes")
    case .string(let text): return Self.text(text)
    case .uid(let number): return .text("object \(number)")
    case .array(let values): return several(values.count) { value(values[$0]) }
    case .dictionary(let pairs):
      let keys = pairs.keys.sorted()
      return named(keys.count) { (keys[$0], value(pairs[keys[$0]] ?? .string(""))) }
    }
  }

  /// What a value of an archive says.
  func value(_ object: ArchivedObject) -> FileContent.Value {
    guard take() else { return .text("…") }
    switch object {
    case .null: return .text("null")
    case .boolean(let flag): return .flag(flag)
    case .integer(let number): return .number(number)
    case .unsigned(let number): return .text("\(number)")
    case .real(let number): return .text("\(number)")
    case .float(let number): return .text("\(number)")
    case .decimal(let number): return .text("\(number)")
    case .string(let text): return Self.text(text)
    case .data(let bytes): return .text("\(bytes.count) bytes")
    case .date(let seconds): return .text(DateText.words(seconds))
    case .uuid(let identifier): return .text("\(identifier)")
    case .url(let relative, let base): return Self.text((base ?? "") + relative)
    case .array(let values), .orderedSet(let values): return several(values.count) { value(values[$0]) }
    case .set(let values):
      let values = Array(values)
      return several(values.count) { value(values[$0]) }
    case .dictionary(let pairs):
      let pairs = Array(pairs)
      return several(pairs.count) {
        .group([.init("key", value(pairs[$0].key)), .init("value", value(pairs[$0].value))])
      }
    case .record(let record):
      let keys = record.fields.keys.sorted()
      let fields = named(keys.count) { index in
        (keys[index], record.fields[keys[index]].map { field($0) } ?? .text(""))
      }
      return .group([.init("class", .text(record.className)), .init("fields", fields)])
    }
  }

  private func field(_ field: ArchivedRecord.Field) -> FileContent.Value {
    switch field {
    case .inline(let list): value(list)
    case .object(let object): value(object)
    case .objects(let objects): several(objects.count) { value(objects[$0]) }
    }
  }

  private func take() -> Bool {
    room -= 1
    return room >= 0
  }

  private func several(_ count: Int, _ each: (Int) -> FileContent.Value) -> FileContent.Value {
    var values: [FileContent.Value] = []
    for index in 0..<count {
      guard room > 0 else {
        values.append(.text("… \(count) in all"))
        break
      }
      values.append(each(index))
    }
    return .list(values)
  }

  private func named(
    _ count: Int, _ each: (Int) -> (String, FileContent.Value)
  ) -> FileContent.Value {
    var facts: [FileContent.Fact] = []
    for index in 0..<count {
      guard room > 0 else {
        facts.append(.init("…", .text("\(count) in all")))
        break
      }
      let (key, value) = each(index)
      facts.append(.init(key, value))
    }
    return .group(facts)
  }

  private static func text(_ text: String) -> FileContent.Value {
    .text(text.count > textLimit ? text.prefix(textLimit) + "…" : text)
  }
}
