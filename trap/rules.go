package trap

// rules are the decisions of docs/design/006-traps.md that can be switched off one by one, so that
// a test can say what each is worth.
type rules uint32

const (
	ruleOrder      rules = 1 << iota // what is suspect waits
	ruleLeases                       // what is on its way counts
	ruleLists                        // a list is worth what it leads to
	ruleGrowth                       // what comes to an end is never closed
	ruleWide                         // patterns have two widths
	ruleForms                        // known forms bring copies
	ruleEndless                      // endless text is worth nothing
	ruleSelections                   // selections earn less
	ruleLook                         // a closed pattern gets a last look
	ruleUnread                       // few pages of good patterns are read
	ruleAspects                      // aspects of a page wait
	ruleTexts                        // a text settles what is owed
	ruleTurns                        // the oldest and the deepest of a pattern come by turns
	ruleMoves                        // a redirect is as good as what it leads to
	ruleBreeds                       // what ends comes before what leads to more and more
	ruleSpan                         // what has few values has an end
	ruleServices                     // what serves visitors waits
	ruleSpelling                     // how a URL is spelt says more than its pattern
	ruleNear                         // nearly copies are worth little
	ruleOwn                          // a page's own address is no copy, once
	ruleCanonical                    // what asks not to be listed waits
	ruleKin                          // what differs in names of directories only is alike
	ruleNoise                        // what copies say, too, is no news
	ruleSections                     // a new directory begins like those beside it
	ruleTwins                        // what says what one other page said is near to it
	ruleSurplus                      // segments without which pages are the same are left out
)
