extension Flaw {
  /// Laws that look at the same from another side, so that most of what breaks one breaks the others, by the law that is broken.
  private static let related: [String: Set<String>] = [
    "files of any size go from and to files of this device": [
      Flaw.part,
      "a file is the same in memory and in a file of this device, however it was written",
      "the sizes of large files are told as they are",
      "progress never tells more than there is, and tells the whole in the end, of any size",
    ],
    "progress is reported in between and ends with the size": [
      "progress never tells more than there is, and tells the whole in the end, of any size"
    ],
    "a file that is still being written under a fresh name is nowhere to be seen": [
      "of a file that is being written, what was there before comes at once, or nothing"
    ],
    "a file that is being replaced shows what it held before": [
      "of a file that is being written, what was there before comes at once, or nothing"
    ],
    "the pages of a folder hold what a listing holds, each entry once": [
      "the pages of two folders may be read in turns"
    ],
    "files and folders move with their content": [
      Flaw.anyName,
      "a folder is moved together with what other programs put into it",
      "what is written into a folder while it is moved is at one of the places, or its writer is told that it is not",
    ],
    "a move never replaces and needs a source and a folder to go to": [
      "a move that fails names the entry that it failed for"
    ],
    "a file is the same in memory and in a file of this device, however it was written": [Flaw.part],
    "the sizes of large files are told as they are": [Flaw.part],
    "a removed name can be used again": [Flaw.part],
    "a file larger than the limit is refused, one of exactly the limit is read": [Flaw.part],
    "foreign names end no listing and hide no entry": [Flaw.toldAsItIs],
    "what other programs put into a folder is reported as foreign and left alone": [Flaw.toldAsItIs],
    "what other programs put into a folder is read, moved and removed under its own name": [
      Flaw.toldAsItIs, Flaw.anyName,
    ],
    "a folder is moved together with what other programs put into it": [Flaw.anyName],
    "a folder is removed together with what other programs put into it": [Flaw.anyName],
    "a folder is removed with everything in it": [
      "however deep its folders are nested, a folder is removed whole", Flaw.anyName,
    ],
    "a small file that is listed while others write is complete where replacing is atomic": [
      "each of many files that come at once while others replace them is whole"
    ],
    "an upload that is cancelled in the middle takes effect whole, or not at all": [
      "a transfer that is cancelled before its half does not go on to its end"
    ],
    "what comes of a folder at once is what each file asked for is by itself, and nothing else": [
      "of hundreds of files that are asked for at once, each that comes is right",
      "what comes at once is what lies there then, whatever the client has read before",
      "of a file that is being written, what was there before comes at once, or nothing",
    ],
  ]

  /// Those of its own law, of listings and of pages.
  var relatedLaws: Set<String> {
    let pages = ", page by page"
    let related = Self.related[law.replacing(pages, with: "")] ?? []
    return related.union(related.map { $0 + pages })
  }
}
