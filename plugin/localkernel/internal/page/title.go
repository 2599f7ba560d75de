package page

// Place says where a page's title comes from.
type Place string

// The places, first found first.
const (
	PlaceFrontmatter Place = "frontmatter"
	PlaceHeading     Place = "heading"
	PlaceFileName    Place = "fileName"
)

// Title gives the page's title and where it stands: the frontmatter's title,
// else the first heading of level 1, else the file's name without its folder
// and extension.
func (p *Page) Title(fileName string) (string, Place) { return "", PlaceFileName }

// Options are the four switches of a page (seed 7-6).
type Options struct {
	WideLayout     bool `json:"wideLayout"`
	SmallText      bool `json:"smallText"`
	ShowToc        bool `json:"showToc"`
	ProtectEditing bool `json:"protectEditing"`
}

// OptionsPatch names the options to set; nil leaves one as it is.
type OptionsPatch struct {
	WideLayout     *bool `json:"wideLayout,omitempty"`
	SmallText      *bool `json:"smallText,omitempty"`
	ShowToc        *bool `json:"showToc,omitempty"`
	ProtectEditing *bool `json:"protectEditing,omitempty"`
}

// Options reads the options under mnote: in the frontmatter; an absent one is
// false. Where the frontmatter cannot be read the error is
// mnote_tool_invalid_block with details.reason frontmatter_invalid, and
// ProtectEditing is still true if a line of it says so: a guard must not fall
// to a typing error elsewhere.
func (p *Page) Options() (Options, error) { return Options{}, errUnbuilt }
