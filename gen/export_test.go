package gen

// OlderProfiles returns older versions of profiles. Their names need the version, as in
// published/1.
func OlderProfiles() []ProfileInfo {
	var infos []ProfileInfo
	for i := range olderProfiles {
		infos = append(infos, olderProfiles[i].info(mixedTotal()))
	}
	return infos
}
