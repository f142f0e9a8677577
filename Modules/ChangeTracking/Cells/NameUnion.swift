/// Something that only other devices know and that turned out to be what the local model shows under another name.
struct NameUnion {
  var space: KnownPaths.Space
  var from: Int
  var into: Int
}
